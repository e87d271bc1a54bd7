import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { EmailContent } from './emails.schema.ts';
import { markResults, type SendResult } from './marking.queries.ts';

export interface NewEmail {
  id: string;
  to: string;
  content: EmailContent;
}

/** Writes a request and its e-mails, each with the contact who has the address, where there is one. */
export async function insertEmails(
  db: Db,
  orgId: string,
  request: { id: string; from_email: string; delayMs: number },
  emails: NewEmail[],
): Promise<void> {
  await sql`
    with request as (
      insert into email_requests (org_id, id, from_email, due_at)
      values (${orgId}::uuid, ${request.id}::uuid, ${request.from_email}, now() + ${request.delayMs}::float8 * interval '1 millisecond')
    )
    insert into deliveries (org_id, id, channel, email_request_id, contact_id, "to", status, content)
    select ${orgId}::uuid, email.id, 'email', ${request.id}::uuid, contact.id, email."to", 'queued', email.content
    from jsonb_to_recordset(${JSON.stringify(emails)}::jsonb) as email (id uuid, "to" text, content jsonb)
    left join contacts as contact on contact.org_id = ${orgId} and contact.email = email."to"
  `.execute(db);
}

export interface ClaimedEmail {
  id: string;
  to: string;
  attempts: number;
  content: EmailContent;
}

export function listQueuedEmails(db: Db, orgId: string, requestId: string, limit: number): Promise<{ id: string }[]> {
  return db
    .selectFrom('deliveries')
    .select('id')
    .where('org_id', '=', orgId)
    .where('email_request_id', '=', requestId)
    .where('status', '=', 'queued')
    .where((eb) => eb.or([eb('not_before', 'is', null), eb('not_before', '<=', sql<Date>`now()`)]))
    .orderBy('id')
    .limit(limit)
    .execute();
}

export interface SendingRule {
  /** Marks the rows of this attempt. */
  lease: string;
  /** Why nothing can be sent at all, or null. */
  obstacle: string | null;
  /** SQL: whether the address of `delivery` is blocked. */
  isBlocked: RawBuilder<SqlBool>;
}

/** Marks queued e-mails as being sent, or ends them where they must not or cannot be. Gives those to send. */
export async function beginEmails(
  db: Db,
  orgId: string,
  ids: string[],
  { lease, obstacle, isBlocked }: SendingRule,
): Promise<ClaimedEmail[]> {
  const { rows } = await sql<ClaimedEmail & { status: string }>`
    with decided as (
      select delivery.id, case
          when ${isBlocked} then 'skipped'
          when suppression.reason is not null then 'suppressed'
          when ${obstacle}::text is not null then 'failed' else 'sending' end as status,
        coalesce(suppression.reason, ${obstacle}::text) as reason
      from deliveries as delivery
      left join suppressions as suppression on suppression.org_id = delivery.org_id and suppression.channel = 'email'
        and suppression.address = delivery."to"
        and (not (delivery.content->>'is_transactional')::boolean or suppression.reason = 'bounced')
      where delivery.org_id = ${orgId} and delivery.id = any(${ids}::uuid[])
        and (delivery.status = 'queued' or (delivery.status = 'sending' and delivery.lease = ${lease}::uuid))
      for update of delivery skip locked
    )
    update deliveries set status = decided.status,
      reason = case decided.status when 'skipped' then 'the contact is blocked' when 'sending' then null else decided.reason end,
      attempts = attempts + case when decided.status = 'sending' and deliveries.status = 'queued' then 1 else 0 end,
      lease = ${lease}::uuid, updated_at = now()
    from decided
    where deliveries.org_id = ${orgId} and deliveries.id = decided.id
    returning deliveries.id, deliveries."to", deliveries.attempts, deliveries.content, deliveries.status
  `.execute(db);
  return rows.filter(({ status }) => status === 'sending');
}

/** Writes down what became of sends. */
export async function settleEmails(db: Db, orgId: string, provider: string, results: SendResult[]): Promise<void> {
  if (results.length === 0) return;
  await sql`${markResults(orgId, provider, results)} select from marked limit 0`.execute(db);
}

/** As settleInterrupted for sequences: transactional mail goes again under its Message-ID, the rest is `unknown`. */
export async function settleInterruptedEmails(db: Db, orgId: string, requestId: string, lease: string): Promise<void> {
  await sql`
    update deliveries set
      status = case when (content->>'is_transactional')::boolean then 'queued' else 'unknown' end,
      reason = 'the worker stopped while it was being sent', lease = null, updated_at = now()
    where org_id = ${orgId} and email_request_id = ${requestId} and status = 'sending' and lease <> ${lease}::uuid
  `.execute(db);
}

/** Milliseconds until the next queued e-mail of the request may go, or null when none is left. */
export async function findNextEmail(db: Db, orgId: string, requestId: string): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(coalesce(not_before, now())) - now())::float8 * 1000 as ms from deliveries
    where org_id = ${orgId} and email_request_id = ${requestId} and status = 'queued'
  `.execute(db);
  const ms = rows[0]?.ms ?? null;
  return ms === null ? null : Math.max(Math.ceil(ms), 0);
}
