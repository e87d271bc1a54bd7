import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { lockName } from '../db/locks.ts';

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

/** Serializes messages of the org with this uuid, and returns whether an event already has it as its id. */
export async function lockEventId(trx: Trx, orgId: string, uuid: string): Promise<boolean> {
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

/**
 * Lists the events of a session visible to its visitor, oldest first. Each has the widget's uuid, or else its own id,
 * as its public id.
 */
export function listVisibleEvents(db: Db, orgId: string, sessionId: string) {
  return db
    .selectFrom('session_events as event')
    .leftJoin('widget_messages as named', (join) =>
      join
        .onRef('named.org_id', '=', 'event.org_id')
        .onRef('named.session_id', '=', 'event.session_id')
        .onRef('named.message_id', '=', 'event.id'),
    )
    .select(['event.org_id', 'event.id', 'event.type', 'event.sender', 'event.content', 'event.data'])
    .select((eb) => ['event.created_at', eb.fn.coalesce('named.uuid', 'event.id').as('public_id')])
    .where('event.org_id', '=', orgId)
    .where('event.session_id', '=', sessionId)
    .where('event.type', 'in', ['message', 'csat_requested', 'csat_submitted', 'state_checkpoint'])
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
    .where('event.type', '=', 'message')
    .where('event.sender', '<>', 'contact')
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
