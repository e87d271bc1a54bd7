import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { lockName } from '../db/locks.ts';
import { NIL_UUID } from '../ids.ts';

/** Returns whether the session has a message with this uuid from the widget. The session must be locked. */
export async function hasMessage(trx: Trx, orgId: string, sessionId: string, uuid: string): Promise<boolean> {
  const found = await trx
    .selectFrom('widget_messages')
    .select('uuid')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('uuid', '=', uuid)
    .executeTakeFirst();
  return found !== undefined;
}

/** Serializes events of the org with this uuid, and returns whether no new one can have it as its id. */
export async function isEventId(trx: Trx, orgId: string, uuid: string): Promise<boolean> {
  if (uuid === NIL_UUID) return true;
  await lockName(trx, `widget message ${orgId} ${uuid}`);
  const found = await trx
    .selectFrom('session_events')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', uuid)
    .executeTakeFirst();
  return found !== undefined;
}

export async function insertMessage(
  trx: Trx,
  message: { org_id: string; session_id: string; uuid: string; message_id: string },
): Promise<void> {
  await trx.insertInto('widget_messages').values(message).execute();
}

/** Returns whether an event of the session has this uuid as its public id. The session must be locked. */
export async function hasPublicId(trx: Trx, orgId: string, sessionId: string, uuid: string): Promise<boolean> {
  return (await findSeqOf(trx, orgId, sessionId, uuid)) !== undefined || hasMessage(trx, orgId, sessionId, uuid);
}

/** Returns whether the history of a session has a message. */
export async function hasHistory(db: Db, orgId: string, sessionId: string): Promise<boolean> {
  const found = await db
    .selectFrom('session_events')
    .select('id')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('type', '=', 'message')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Finds what a message of a session asks to confirm, by the message's public id: the id of the call. */
export async function findConfirmationId(db: Db, orgId: string, sessionId: string, publicId: string) {
  const seq = await findSeqOf(db, orgId, sessionId, publicId);
  if (seq === undefined) return undefined;
  const found = await db
    .selectFrom('session_events')
    .select(sql<string | null>`data -> 'confirmation' ->> 'id'`.as('call_id'))
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('seq', '=', seq)
    .where('type', '=', 'message')
    .executeTakeFirst();
  return found?.call_id ?? undefined;
}

/** Finds the place of an event in a session's history by its public id. */
export async function findSeqOf(db: Db, orgId: string, sessionId: string, publicId: string) {
  const found = await db
    .selectFrom('session_events as event')
    .select('event.seq')
    .where('event.org_id', '=', orgId)
    .where('event.session_id', '=', sessionId)
    .where((eb) =>
      eb(
        'event.id',
        '=',
        eb.fn.coalesce(
          eb
            .selectFrom('widget_messages as named')
            .select('named.message_id')
            .where('named.org_id', '=', orgId)
            .where('named.session_id', '=', sessionId)
            .where('named.uuid', '=', publicId),
          eb.val(publicId),
        ),
      ),
    )
    .executeTakeFirst();
  return found?.seq;
}

/** Finds the place of the first event of a session that was recorded at this time or later. */
export async function findSeqFrom(db: Db, orgId: string, sessionId: string, at: Date) {
  const found = await db
    .selectFrom('session_events')
    .select('seq')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('created_at', '>=', at)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return found?.seq;
}

/**
 * Lists the events of a session visible to its visitor, oldest first: those after a place in the history, or else the
 * latest. Their number and their length are limited. Each has the widget's uuid, or else its own id, as its public id.
 */
export function listVisibleEvents(
  db: Db,
  orgId: string,
  sessionId: string,
  { after, limit, maxBytes }: { after: number | undefined; limit: number; maxBytes: number },
) {
  const order = after === undefined ? 'desc' : 'asc';
  return db
    .with('visible', (cte) =>
      cte
        .selectFrom('session_events')
        .select(['org_id', 'session_id', 'seq', 'id', 'type', 'sender', 'content', 'data', 'created_at'])
        .where('org_id', '=', orgId)
        .where('session_id', '=', sessionId)
        .where('type', 'in', ['message', 'workflow_message', 'csat_requested', 'csat_submitted', 'state_checkpoint'])
        .$call((query) => (after === undefined ? query : query.where('seq', '>', after)))
        .orderBy('seq', order)
        .limit(limit),
    )
    .with('measured', (cte) =>
      cte
        .selectFrom('visible')
        .selectAll()
        .select((eb) => [
          sql<number>`sum(coalesce(octet_length(content), 0) + coalesce(octet_length(data ->> 'payload'), 0))
            over (order by ${eb.ref('seq')} ${sql.raw(order)})`.as('bytes'),
          sql<number>`row_number() over (order by ${eb.ref('seq')} ${sql.raw(order)})`.as('place'),
        ]),
    )
    .selectFrom('measured as event')
    .leftJoin('widget_messages as named', (join) =>
      join
        .onRef('named.org_id', '=', 'event.org_id')
        .onRef('named.session_id', '=', 'event.session_id')
        .onRef('named.message_id', '=', 'event.id'),
    )
    .select(['event.org_id', 'event.id', 'event.type', 'event.sender', 'event.content', 'event.data'])
    .select((eb) => ['event.created_at', eb.fn.coalesce('named.uuid', 'event.id').as('public_id')])
    .where((eb) => eb.or([eb('event.bytes', '<=', maxBytes), eb('event.place', '=', 1)]))
    .orderBy('event.seq')
    .execute();
}

export type VisibleEvent = Awaited<ReturnType<typeof listVisibleEvents>>[number];

/** Finds an answer in a session, a message from anyone but the contact, by its id in the poll response. */
export function findAnswer(db: Db, orgId: string, sessionId: string, publicId: string) {
  return db
    .selectFrom('session_events as event')
    .select('event.id')
    .where('event.org_id', '=', orgId)
    .where('event.session_id', '=', sessionId)
    .where('event.id', '=', publicId)
    .where((eb) => eb.or([eb('event.type', '=', 'workflow_message'), eb('event.sender', '<>', 'contact')]))
    .executeTakeFirst();
}

/** Stores a contact's vote, replacing the previous one. */
export async function upsertVote(
  trx: Trx,
  vote: { org_id: string; message_id: string; contact_id: string; is_up: boolean },
): Promise<void> {
  await trx
    .insertInto('widget_votes')
    .values(vote)
    .onConflict((oc) =>
      oc
        .columns(['org_id', 'message_id', 'contact_id'])
        .doUpdateSet({ is_up: vote.is_up, updated_at: sql<Date>`now()` }),
    )
    .execute();
}
