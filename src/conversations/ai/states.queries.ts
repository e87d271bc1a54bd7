import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/** Lists the facts for the AI's permission to speak in sessions. */
export const listAiStates = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('sessions')
    .select(['id', 'channel', 'ai_state', 'assist_mode'])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();

/** Finds the last news of a turn of the AI in a session, unless it tells of its end. */
export const findOpenTurnNews = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('session_events')
        .select('data')
        .where('org_id', '=', orgId)
        .where('session_id', '=', sessionId)
        .where('type', '=', 'ai_turn')
        .orderBy('seq', 'desc')
        .limit(1)
        .as('news'),
    )
    .select(sql<string>`data ->> 'label'`.as('label'))
    .where(sql<boolean>`data ->> 'state' in ('waiting', 'running')`)
    .executeTakeFirst();
