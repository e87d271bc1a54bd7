import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { type CreatedWithin, countCreated, inIdOrder, type KeysetPage } from '../../db/keyset.ts';
import { selectEvents } from '../history/shared.queries.ts';
import { selectSessions } from '../queries.ts';

/** Lists a part of the sessions in the order of their ids. */
export const listSessionsInOrder = (db: Db, orgId: string, page: KeysetPage) =>
  selectSessions(db, orgId).$call(inIdOrder(page, 'session')).execute();

export type SessionRow = Awaited<ReturnType<typeof listSessionsInOrder>>[number];

export const countSessions = (trx: Trx, orgId: string, created: CreatedWithin): Promise<number> =>
  countCreated(trx, trx.selectFrom('sessions as session').where('session.org_id', '=', orgId), {
    of: 'session',
    created,
  });

/** The position to continue from in the histories of sessions: behind this event. */
export interface EventPosition {
  session_id: string;
  seq: number;
}

/** Lists the shown entries of some sessions' histories behind a position, in the order of sessions and of events. */
export const listEventsOfSessions = (
  db: Db,
  orgId: string,
  { ids, after, limit }: { ids: string[]; after: EventPosition; limit: number },
) =>
  selectEvents(db, orgId)
    .where('event.session_id', '=', sql<string>`any(${ids}::uuid[])`)
    .where(sql<SqlBool>`(event.session_id, event.seq) > (${after.session_id}::uuid, ${after.seq}::integer)`)
    .where('event.session_id', '<=', ids.at(-1) ?? after.session_id)
    .where('event.seq', '>', 0)
    .where('event.type', '<>', 'ai_turn')
    .orderBy('event.session_id')
    .orderBy('event.seq')
    .limit(limit)
    .execute();
