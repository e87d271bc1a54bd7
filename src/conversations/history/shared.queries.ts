import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { Actor } from '../../schemas/actor.ts';

/** SQL: the actor of a row's event, a contact with its present name. */
export const actorOf = (event: string): RawBuilder<Actor | null> => {
  const [actor, orgId] = [sql.ref(`${event}.actor`), sql.ref(`${event}.org_id`)];
  return sql<Actor | null>`case when ${actor} ->> 'kind' = 'contact' then ${actor} || jsonb_build_object('name', (
    select contact.name from contacts as contact where contact.org_id = ${orgId} and contact.id = (${actor} ->> 'id')::uuid
  )) else ${actor} end`;
};

/** SQL: the text of an `event` as it is shown: of an e-mail the new one, without quotations and signature, if its whole can be read elsewhere. */
export const SHOWN_CONTENT = sql<string | null>`case when event.own_words is not null and exists (
    select from inbound_messages as source where source.org_id = event.org_id and source.id = event.id
  ) then event.own_words else event.content end`;

/** Selects events as `historyItemOf` shows them. */
export const selectEvents = (db: Db, orgId: string) =>
  db
    .selectFrom('session_events as event')
    .select(['event.org_id', 'event.session_id', 'event.seq', 'event.id', 'event.type', 'event.sender'])
    .select([SHOWN_CONTENT.as('content')])
    .select(['event.data', 'event.created_at', actorOf('event').as('actor')])
    .where('event.org_id', '=', orgId);

export type EventRow = Awaited<ReturnType<ReturnType<typeof selectEvents>['execute']>>[number];

/** A part of a session's history, in an order, behind an excluded `seq`. */
export interface HistoryRange {
  order: 'asc' | 'desc';
  behind: number | undefined;
  limit: number;
}

/** Lists events of a session. Those of turns of the AI are only shown while they happen. */
export const listEvents = (db: Db, orgId: string, sessionId: string, { order, behind, limit }: HistoryRange) =>
  selectEvents(db, orgId)
    .where('event.session_id', '=', sessionId)
    .where('event.seq', '>', order === 'asc' ? Math.max(behind ?? 0, 0) : 0)
    .$if(order === 'desc' && behind !== undefined, (events) => events.where('event.seq', '<', behind ?? 0))
    .where('event.type', '<>', 'ai_turn')
    .orderBy('event.seq', order)
    .limit(limit)
    .execute();

/** Finds the position of an event of a session. */
export const findSeq = (db: Db, orgId: string, { sessionId, itemId }: { sessionId: string; itemId: string }) =>
  db
    .selectFrom('session_events')
    .select('seq')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('id', '=', itemId)
    .executeTakeFirst();

/** Lists the first messages of people and of the AI behind a `seq`. */
export const listMessagesAfter = (
  db: Db,
  orgId: string,
  sessionId: string,
  { seq, limit }: { seq: number; limit: number },
) =>
  selectEvents(db, orgId)
    .where('event.session_id', '=', sessionId)
    .where('event.seq', '>', seq)
    .where('event.type', '=', 'message')
    .where('event.sender', 'in', ['contact', 'human_agent', 'ai'])
    .orderBy('event.seq')
    .limit(limit)
    .execute();

export const listLastSeqs = (db: Db, orgId: string, ids: string[]): Promise<{ id: string; last_seq: number }[]> =>
  db
    .selectFrom('sessions')
    .select(['id', 'last_seq'])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
