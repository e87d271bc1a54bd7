import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import { COPIES_LEFT_OUT, ENDED_STATUS, endedReason } from '../queries.ts';

/**
 * Removes the contents of deliveries, and who got no copy of them, unless they are being sent now, and ends waiting ones: as
 * `unknown` if they may have gone, otherwise as `canceled`. An unknown SMS is no longer looked for: without its text, any other
 * could be taken for it.
 */
export async function redactDeliveries(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  await sql`
    update deliveries as delivery set content = null, updated_at = now(),
      answers = coalesce((
        select jsonb_agg(entry || case entry->>'outcome' when ${COPIES_LEFT_OUT} then '{"answer": null}' else '{}' end::jsonb order by place)
        from jsonb_array_elements(delivery.answers) with ordinality as stored (entry, place)
      ), '[]'),
      reason = case when status in ('queued', 'held') then ${endedReason('redacted')} else reason end,
      status = case when status in ('queued', 'held') then ${ENDED_STATUS} else status end,
      look_up_at = case when channel <> 'sms' then look_up_at end
    where org_id = ${orgId} and id = any(${ids}::uuid[]) and lease is null
  `.execute(trx);
  await sql`delete from sandbox_outbox where org_id = ${orgId} and id = any(${ids}::uuid[])`.execute(trx);
}

/** Lists the deliveries of what else messages are made of. */
export async function listParts(trx: Trx, orgId: string, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select jsonb_array_elements_text(content->'parts') as id from deliveries
    where org_id = ${orgId} and id = any(${ids}::uuid[]) and content ? 'parts'
  `.execute(trx);
  return rows.map(({ id }) => id);
}

export async function isAnyBeingSent(trx: Trx, orgId: string, ids: string[]): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries where org_id = ${orgId} and id = any(${ids}::uuid[]) and lease is not null limit 1
  `.execute(trx);
  return rows.length > 0;
}

/**
 * Removes the texts, subjects and raw forms of inbound messages, also where answers repeat the subject, and deletes their contact's
 * raw e-mails: these may be, or quote, redacted messages.
 */
export async function redactInboundMessages(
  trx: Trx,
  orgId: string,
  { ids, contactId }: { ids: string[]; contactId: string | null },
): Promise<void> {
  await sql`
    with erased as (
      update inbound_messages set body = '', html = null, cc = null, subject = null, reply_to = null, raw = null, late_files = null where org_id = ${orgId} and id = any(${ids}::uuid[])
      returning channel, provider_id, delivery_id, email_id
    ),
    sibling as (
      select id from session_events where org_id = ${orgId} and session_id in (
        select session_id from session_events where org_id = ${orgId} and id = any(${ids}::uuid[])
      )
    ),
    answers as (
      update deliveries set content = content || '{"subject": "Re:"}' from sibling
      where deliveries.org_id = ${orgId} and deliveries.id = sibling.id
        and deliveries.content->>'in_reply_to' in (select provider_id from erased where channel = 'email')
    ),
    touched as (
      select id from deliveries where org_id = ${orgId} and contact_id = ${contactId}::uuid and channel = 'email'
      union select unnest(${ids}::uuid[])
      union select delivery_id from erased where delivery_id is not null
    ),
    emails as (
      select email.id from inbound_emails as email join touched on email.org_id = ${orgId} and email.delivery_id = touched.id
      union select email_id from erased where email_id is not null
      union select email_id from inbound_messages
        where org_id = ${orgId} and contact_id = ${contactId}::uuid and channel = 'email' and email_id is not null
      union select email.id from contacts as contact
        join email_inboxes as inbox on inbox.org_id = contact.org_id
        join inbound_emails as email on email.org_id = inbox.org_id and email.inbox_id = inbox.id and email.mail_from = contact.email
        where contact.org_id = ${orgId} and contact.id = ${contactId}::uuid
    )
    update inbound_emails set raw = null
    from emails
    where inbound_emails.org_id = ${orgId} and inbound_emails.id = emails.id and processed_at is not null and raw is not null
  `.execute(trx);
}
