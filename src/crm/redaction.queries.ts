import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import type { StoredBatch } from './inbound/event-log.queries.ts';

/** Properties of tickets that are texts of conversations: we write them so. */
export const TEXT_PROPERTIES = ['subject', 'content'];
/** In the words of the index of such events. */
const IS_TEXT_CHANGE = sql`type = 'ticket.propertyChange' and payload->>'property_name' in ('subject', 'content')`;

/** Forgets why messages of a session, or one of them, were not taken. */
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
    .$if(messageId !== null, (query) => query.where('id', '=', messageId as string))
    .execute();
}

/** Forgets why parts of a session's handoff were not made. */
export async function redactPartErrors(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  await trx
    .updateTable('crm_handoff_parts')
    .set({ error: null })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('error', 'is not', null)
    .execute();
}

/** Takes texts of a ticket out of its events, which those that wait are done with. */
export async function redactEventTexts(trx: Trx, orgId: string, ticketId: string): Promise<void> {
  await sql`
    update crm_events set payload = payload - 'property_value', reason = case when state = 'queued' then 'redacted' else reason end,
      settled_at = coalesce(settled_at, now()), state = case when state = 'queued' then 'skipped' else state end
    where org_id = ${orgId} and object_id = ${ticketId} and ${IS_TEXT_CHANGE} and payload ? 'property_value'
  `.execute(trx);
}

/** When texts of a ticket came in for the first and for the last time. Undefined where none did. */
export async function findTextTimes(db: Db, orgId: string, ticketId: string) {
  const { rows } = await sql<{ first: Date | null; last: Date | null }>`
    select min(created_at) as first, max(created_at) as last from crm_events
    where org_id = ${orgId} and object_id = ${ticketId} and ${IS_TEXT_CHANGE}
  `.execute(db);
  const { first = null, last = null } = rows[0] ?? {};
  return first === null || last === null ? undefined : { first, last };
}

/** Puts other bodies in the place of those of batches. */
export async function updateBatchBodies(
  trx: Trx,
  orgId: string,
  batches: Pick<StoredBatch, 'id' | 'body'>[],
): Promise<void> {
  for (const { id, body } of batches) {
    await trx.updateTable('crm_batches').set({ body }).where('org_id', '=', orgId).where('id', '=', id).execute();
  }
}
