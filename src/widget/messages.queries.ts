import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { lockName } from '../db/locks.ts';

/** Whether the session has a message that the widget named so. The session is locked. */
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

/** Lets one message of this name in the org through at a time, and says whether an event has it for its id already. */
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

/** What customers may see of a session, oldest first, each by the name that the widget gave it or else its id. */
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

/** The message of a session that was not the contact's own, by the name that poll gives it. */
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

/** A contact's vote takes the place of the one before. */
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
