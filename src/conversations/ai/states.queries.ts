import type { Db } from '../../db/connect.ts';

/** Lists what decides whether the AI may speak in sessions. */
export const listAiStates = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('sessions')
    .select(['id', 'channel', 'ai_state', 'assist_mode'])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
