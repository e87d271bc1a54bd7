import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import type { StoredBatch } from './inbound/event-log.queries.ts';

/** Ticket properties with texts of conversations, written by us. */
export const TEXT_PROPERTIES = ['subject', 'content'];
/** The same condition as in the partial index of these events. */
const IS_TEXT_CHANGE = sql`type = 'ticket.propertyChange' and payload->>'property_name' in ('subject', 'content')`;

/** Clears the errors of a session's messages, or of one message and its edits. */
export async function redactMessageErrors(
  trx: Trx,
  orgId: string,
  sessionId: string,
  messageId: string | null,
): Promise<void> {
  await trx
    .updateTable('crm_messages')
    .set({ error: null })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('error', 'is not', null)
    .$if(messageId !== null, (query) =>
      query.where(sql<boolean>`(id = ${messageId} or id in (
        select change.id from session_events as change
        where change.org_id = ${orgId} and change.session_id = ${sessionId} and change.data->>'message_id' = ${messageId}
      ))`),
    )
    .execute();
}

/** Clears the errors of a session's handoff parts. */
export async function redactPartErrors(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  await trx
    .updateTable('crm_handoff_parts')
    .set({ error: null })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('error', 'is not', null)
    .execute();
}

/** Removes the texts of a ticket from its events. Queued events are settled as skipped. */
export async function redactEventTexts(trx: Trx, orgId: string, ticketId: string): Promise<void> {
  await sql`
    update crm_events set payload = payload - 'property_value', reason = case when state = 'queued' then 'redacted' else reason end,
      settled_at = coalesce(settled_at, now()), state = case when state = 'queued' then 'skipped' else state end
    where org_id = ${orgId} and object_id = ${ticketId} and ${IS_TEXT_CHANGE} and payload ? 'property_value'
  `.execute(trx);
}

/** Returns those of these tickets whose sessions have had texts removed. */
export async function listRedactedTickets(
  db: Db,
  orgId: string,
  ticketIds: string[],
  redactionsOf: (orgId: string, sessionId: RawBuilder<unknown>) => RawBuilder<number>,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ ticket_id: string }>`
    select ticket_id from crm_links where org_id = ${orgId} and ticket_id = any(${ticketIds})
      and ${redactionsOf(orgId, sql`crm_links.session_id`)} > 0
  `.execute(db);
  return new Set(rows.map(({ ticket_id }) => ticket_id));
}

/** Returns the times of the first and the last event with texts of a ticket. Undefined if there are none. */
export async function findTextTimes(db: Db, orgId: string, ticketId: string) {
  const { rows } = await sql<{ first: Date | null; last: Date | null }>`
    select min(created_at) as first, max(created_at) as last from crm_events
    where org_id = ${orgId} and object_id = ${ticketId} and ${IS_TEXT_CHANGE}
  `.execute(db);
  const { first = null, last = null } = rows[0] ?? {};
  return first === null || last === null ? undefined : { first, last };
}

/** Replaces the bodies of batches. */
export async function updateBatchBodies(
  trx: Trx,
  orgId: string,
  batches: Pick<StoredBatch, 'id' | 'body'>[],
): Promise<void> {
  for (const { id, body } of batches) {
    await trx.updateTable('crm_batches').set({ body }).where('org_id', '=', orgId).where('id', '=', id).execute();
  }
}
