import { sql } from 'kysely';
import type { Trx } from '../../../../db/connect.ts';
import type { InboundEmailResult } from '../../../contract.ts';
import type { MailClient } from '../table.ts';

/** An e-mail to an inbox, or to the reply address of a delivery, that was read before it is stored. */
export interface ProcessedEmail {
  id: string;
  kind: 'inbox' | 'reply';
  inbox_id: string | null;
  delivery_id: string | null;
  mail_from: string;
  rcpt_to: string;
  client: MailClient | null;
  sha256: Buffer;
  raw: Buffer;
  result: InboundEmailResult;
}

/**
 * Stores e-mails with their results, each once. Returns the ids of those stored: neither those that were stored before, nor
 * those whose inbox or delivery was deleted.
 */
export async function insertProcessedEmails(trx: Trx, orgId: string, emails: ProcessedEmail[]): Promise<string[]> {
  const rows = emails.map(({ id, kind, delivery_id, inbox_id, mail_from, rcpt_to, client, result }) => {
    return { id, kind, delivery_id, inbox_id, mail_from, rcpt_to, client, result };
  });
  const { rows: stored } = await sql<{ id: string }>`
    insert into inbound_emails (org_id, id, kind, delivery_id, inbox_id, mail_from, rcpt_to, client, result, processed_at, sha256, raw)
    select ${orgId}::uuid, email.id, email.kind, email.delivery_id, email.inbox_id, email.mail_from, email.rcpt_to, email.client,
      email.result, now(), email.sha256, email.raw
    from rows from (
      jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as (id uuid, kind text, delivery_id uuid, inbox_id uuid, mail_from text, rcpt_to text, client jsonb, result text),
      unnest(${emails.map(({ sha256 }) => sha256)}::bytea[]),
      unnest(${emails.map(({ raw }) => raw)}::bytea[])
    ) as email (id, kind, delivery_id, inbox_id, mail_from, rcpt_to, client, result, sha256, raw)
    where case when email.kind = 'inbox'
      then exists (select from email_inboxes as inbox where inbox.org_id = ${orgId} and inbox.id = email.inbox_id)
      else exists (select from deliveries as delivery where delivery.org_id = ${orgId} and delivery.id = email.delivery_id) end
    on conflict (org_id, sha256) do nothing
    returning id
  `.execute(trx);
  return stored.map(({ id }) => id);
}

/** An e-mail as a message that opens a session. */
export interface FirstMailRow {
  id: string;
  email_id: string;
  provider: string;
  provider_id: string;
  from: string;
  to: string;
  subject: string | null;
  reply_to: string | null;
  sender_name: string | null;
  body: string;
  cc: string[];
  html: string | null;
  inbox_id: string;
}

/** Stores messages once. Returns those stored, with the contact of their address: null if there is none. */
export async function insertFirstMails(
  trx: Trx,
  orgId: string,
  mails: FirstMailRow[],
): Promise<{ id: string; contact_id: string | null }[]> {
  const { rows } = await sql<{ id: string; contact_id: string | null }>`
    insert into inbound_messages (org_id, id, channel, provider, provider_id, "from", "to", subject, thread, reply_to, sender_name, body,
      is_reply, cc, html, email_id, inbox_id, contact_id)
    select ${orgId}::uuid, id, 'email', provider, provider_id, "from", "to", subject, '{}'::text[], reply_to, sender_name, body,
      true, cc, html, email_id, inbox_id,
      coalesce((select id from contacts where org_id = ${orgId} and email = mail."from"),
        (select contact_id from contact_merges where org_id = ${orgId} and email = mail."from" limit 1))
    from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb)
      as mail (id uuid, email_id uuid, provider text, provider_id text, "from" text, "to" text, subject text, reply_to text, sender_name text,
        body text, cc text[], html text, inbox_id uuid)
    on conflict (org_id, provider, provider_id) do nothing
    returning id, contact_id
  `.execute(trx);
  return rows;
}

/** Records whom inbound messages are from, once the contacts were created. */
export async function updateInboundContacts(
  trx: Trx,
  orgId: string,
  messages: { id: string; contactId: string }[],
): Promise<void> {
  await sql`
    update inbound_messages as message set contact_id = given."contactId"
    from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as given (id uuid, "contactId" uuid)
    where message.org_id = ${orgId} and message.id = any(${messages.map(({ id }) => id)}::uuid[]) and message.id = given.id
  `.execute(trx);
}
