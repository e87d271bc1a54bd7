import { sql } from 'kysely';
import type { Db, Trx } from '../../../../db/connect.ts';
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

/** What an inbox knows a message by. */
export interface MessageKey {
  provider: string;
  provider_id: string;
}

interface StoredEmail {
  id: string;
  is_known: boolean;
  is_others: boolean;
}

/**
 * Stores e-mails with their results, each once. Returns those stored: neither those that were stored before, nor those whose
 * inbox or delivery was deleted. `is_known`: whether there is the message of its key and sender already. `is_others`:
 * whether its key is that of another sender's message.
 */
export async function insertProcessedEmails(
  trx: Trx,
  orgId: string,
  emails: (ProcessedEmail & { message?: MessageKey & { from: string } })[],
): Promise<StoredEmail[]> {
  const rows = emails.map(
    ({
      id,
      kind,
      delivery_id,
      inbox_id,
      mail_from,
      rcpt_to,
      client,
      result,
      message: { provider, provider_id, from } = {},
    }) => {
      return { id, kind, delivery_id, inbox_id, mail_from, rcpt_to, client, result, provider, provider_id, from };
    },
  );
  const { rows: stored } = await sql<StoredEmail>`
    with email as materialized (
      select * from rows from (
        jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as (id uuid, kind text, delivery_id uuid, inbox_id uuid, mail_from text, rcpt_to text, client jsonb, result text, provider text,
            provider_id text, "from" text),
        unnest(${emails.map(({ sha256 }) => sha256)}::bytea[]),
        unnest(${emails.map(({ raw }) => raw)}::bytea[])
      ) as email (id, kind, delivery_id, inbox_id, mail_from, rcpt_to, client, result, provider, provider_id, "from", sha256, raw)
    ), stored as (
      insert into inbound_emails (org_id, id, kind, delivery_id, inbox_id, mail_from, rcpt_to, client, result, processed_at, sha256, raw)
      select ${orgId}::uuid, id, kind, delivery_id, inbox_id, mail_from, rcpt_to, client, result, now(), sha256, raw from email
      where case when kind = 'inbox'
        then exists (select from email_inboxes as inbox where inbox.org_id = ${orgId} and inbox.id = email.inbox_id)
        else exists (select from deliveries as delivery where delivery.org_id = ${orgId} and delivery.id = email.delivery_id) end
      on conflict (org_id, sha256) do nothing
      returning id
    )
    select email.id, exists (
      select from inbound_messages as message
      where message.org_id = ${orgId} and message.provider = email.provider and message."from" = email."from"
        and message.provider_id = any(array[email.provider_id, email.provider_id || ' ' || email."from"])
    ) as is_known, exists (
      select from inbound_messages as message
      where message.org_id = ${orgId} and message.provider = email.provider and message.provider_id = email.provider_id
        and message."from" <> email."from"
    ) as is_others
    from stored join email on email.id = stored.id
  `.execute(trx);
  return stored;
}

/** Returns those of the senders that have sent the org an e-mail that is not processed yet. */
export async function listWaitingSenders(db: Db, orgId: string, senders: string[]): Promise<string[]> {
  const { rows } = await sql<{ mail_from: string }>`
    select distinct mail_from from inbound_emails
    where org_id = ${orgId} and processed_at is null and mail_from = any(${senders}::text[])
  `.execute(db);
  return rows.map(({ mail_from }) => mail_from);
}

/** An e-mail as a message that opens a session. */
export interface FirstMailRow extends MessageKey {
  id: string;
  email_id: string;
  contact_id: string;
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

/** Stores messages once. Returns the ids of those stored. */
export async function insertFirstMails(trx: Trx, orgId: string, mails: FirstMailRow[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into inbound_messages (org_id, id, channel, provider, provider_id, "from", "to", subject, thread, reply_to, sender_name, body,
      is_reply, cc, html, email_id, inbox_id, contact_id)
    select ${orgId}::uuid, id, 'email', provider, provider_id, "from", "to", subject, '{}'::text[], reply_to, sender_name, body,
      true, cc, html, email_id, inbox_id, contact_id
    from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb)
      as mail (id uuid, email_id uuid, contact_id uuid, provider text, provider_id text, "from" text, "to" text, subject text,
        reply_to text, sender_name text, body text, cc text[], html text, inbox_id uuid)
    on conflict (org_id, provider, provider_id) do nothing
    returning id
  `.execute(trx);
  return rows.map(({ id }) => id);
}
