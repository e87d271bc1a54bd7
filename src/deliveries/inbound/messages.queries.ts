import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { behindInOrder } from '../../db/cursor.ts';
import type { Channel, InboundMessageRef } from '../contract.ts';
import type { InboundFile, LateFile } from './messages.table.ts';

/** So long a message waits for its files. */
const PATIENCE = sql`interval '5 minutes'`;

export interface NewInboundMessage {
  id: string;
  channel: Channel;
  provider: string;
  /** The provider's id of the message, for storing it only once. */
  providerId: string;
  from: string;
  /** The contact, if it is known by more than the address. */
  sender?: string | undefined;
  to: string;
  /** The provider's id of the number that it came to, if messages are sent by that and not by the number. */
  toId?: string | undefined;
  /** Of an e-mail that has one. */
  subject?: string | undefined;
  /** Of an e-mail: the Message-IDs of its thread before it. */
  thread?: string[] | undefined;
  /** The address that the sender of an e-mail wants answers at, if it is another one. */
  replyTo?: string | undefined;
  /** Of an e-mail: who else has it, without us. */
  cc?: string[] | undefined;
  /** Of an e-mail: its HTML, sanitized. */
  html?: string | undefined;
  /** Of an e-mail: the stored one, and the inbox that it came to. */
  emailId?: string | undefined;
  inboxId?: string | undefined;
  /** The name that the sender has given themselves. */
  name?: string | undefined;
  body: string;
  /** The delivery it replies to, if the message names one. */
  deliveryId: string | undefined;
  /** False for a mere opt-out, and for a change of an earlier message. */
  isReply: boolean;
  /** The files to be fetched from the provider. */
  files?: InboundFile[] | undefined;
  /** The beginning of what came from the provider, of a message that was not understood. */
  raw?: string | undefined;
}

/** SQL: the inbox that a `delivery` was sent from. */
const INBOX_OF_DELIVERY = sql`(
  select inbox.id from email_inboxes as inbox
  where inbox.org_id = delivery.org_id and inbox.address = lower(coalesce(delivery.sender, delivery.content ->> 'from_email'))
)`;

/**
 * Stores an inbound message once. Its contact is the contact of its delivery, else the sender, else the contact of its
 * address. Returns the contact, null if there is none, or undefined if the message was stored before.
 */
export async function insertInboundMessage(
  db: Db,
  orgId: string,
  message: NewInboundMessage,
): Promise<string | null | undefined> {
  const {
    id,
    channel,
    provider,
    providerId,
    from,
    to,
    toId = null,
    subject = null,
    thread = null,
    replyTo = null,
    cc = null,
    html = null,
    emailId = null,
    inboxId = null,
    name = null,
    body,
    isReply,
    files = [],
    raw = null,
  } = message;
  const pending = files.length === 0 ? null : JSON.stringify(files);
  const address = channel === 'email' ? sql.ref('email') : sql.ref('phone_number');
  const { rows } = await sql<{ contact_id: string | null }>`
    insert into inbound_messages (org_id, id, channel, provider, provider_id, "from", "to", to_id, subject, thread, reply_to, sender_name, body, is_reply, files, raw, cc, html, email_id, inbox_id, contact_id,
      delivery_id)
    select ${orgId}::uuid, ${id}::uuid, ${channel}, ${provider}, ${providerId}, ${from}, ${to}, ${toId}, ${subject}, ${thread}::text[], ${replyTo}, ${name}, ${body}, ${isReply}::boolean,
      ${pending}::jsonb, ${raw}, ${cc}::text[], ${html}, ${emailId}::uuid, coalesce(${inboxId}::uuid, ${INBOX_OF_DELIVERY}),
      coalesce(delivery.contact_id, ${message.sender ?? null}::uuid, (select id from contacts where org_id = ${orgId} and ${address} = ${from}),
        (select contact_id from contact_merges where org_id = ${orgId} and ${address} = ${from} limit 1)), delivery.id
    from (select) as message
    left join deliveries as delivery on delivery.org_id = ${orgId} and delivery.id = ${message.deliveryId ?? null}::uuid
    on conflict (org_id, provider, provider_id) do nothing
    returning contact_id
  `.execute(db);
  return rows[0]?.contact_id;
}

/** Records whom an inbound message is from, once the contact was created. */
export async function updateInboundContact(db: Db, orgId: string, id: string, contactId: string): Promise<void> {
  await db
    .updateTable('inbound_messages')
    .set({ contact_id: contactId })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Returns the first of the numbers that is a contact's, or was that of one merged into it. */
export async function findContactNumber(db: Db, orgId: string, numbers: string[]): Promise<string | undefined> {
  const { rows } = await sql<{ phone_number: string }>`
    select phone_number from contacts where org_id = ${orgId} and phone_number = any(${numbers}::text[])
    union all
    select phone_number from contact_merges where org_id = ${orgId} and phone_number = any(${numbers}::text[])
  `.execute(db);
  return numbers.find((number) => rows.some(({ phone_number }) => phone_number === number));
}

/** Finds a stored message by the provider's id of it. */
export const findInbound = (
  db: Db,
  orgId: string,
  { provider, providerId }: { provider: string; providerId: string },
): Promise<{ id: string; contact_id: string | null; from: string } | undefined> =>
  db
    .selectFrom('inbound_messages')
    .select(['id', 'contact_id', 'from'])
    .where('org_id', '=', orgId)
    .where('provider', '=', provider)
    .where('provider_id', '=', providerId)
    .executeTakeFirst();

/** Replaces the text of a message that the contact has edited. */
export async function updateInboundBody(trx: Trx, orgId: string, id: string, body: string): Promise<void> {
  await trx.updateTable('inbound_messages').set({ body }).where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** An edit with its text, or a deletion. */
export interface WaitingChange {
  id: string;
  at: Date;
  text?: string;
}

/** Changes a message that waits for its files. An edit before the last one changes nothing. Returns whether it waits. */
export async function updateWaitingMessage(
  trx: Trx,
  orgId: string,
  { id, at, text = null }: Omit<WaitingChange, 'text'> & { text?: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    update inbound_messages set
      body = case when ${text}::text is not null and coalesce(edited_at <= ${at}, true) then ${text} else body end,
      edited_at = case when ${text}::text is not null then greatest(edited_at, ${at}) else edited_at end,
      deleted_at = case when ${text}::text is null then coalesce(deleted_at, ${at}) else deleted_at end
    where org_id = ${orgId} and id = ${id} and files is not null
    returning id
  `.execute(trx);
  return rows.length > 0;
}

/** Finds a message with files to be fetched, and whether it is recent enough to wait for them. */
export const findMessageWithFiles = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('inbound_messages')
    .select(['channel', 'files', sql<boolean>`received_at > now() - ${PATIENCE}`.as('is_recent')])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('files', 'is not', null)
    .$narrowType<{ files: InboundFile[] }>()
    .executeTakeFirst();

/**
 * Notes that the files of a message are dealt with but for the late ones, and returns the message. Returns undefined if they
 * were before.
 */
export const clearFiles = (trx: Trx, orgId: string, id: string, late: LateFile[]) =>
  trx
    .updateTable('inbound_messages')
    .set({ files: null, late_files: late.length === 0 ? null : JSON.stringify(late) })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('files', 'is not', null)
    .returning(['channel', 'from', 'to', 'body', 'sender_name', 'contact_id as contactId', 'delivery_id as deliveryId'])
    .returning(['edited_at as editedAt', 'deleted_at as deletedAt'])
    .executeTakeFirst();

/** Returns messages of all orgs with files to be fetched, also those that are shown already, behind a message, in a fixed order. */
export async function listMessagesWithFiles(
  db: Db,
  after: InboundMessageRef | undefined,
  limit: number,
): Promise<InboundMessageRef[]> {
  const { rows } = await sql<InboundMessageRef>`
    select org_id as "orgId", id as "inboundMessageId" from inbound_messages
    where (files is not null or late_files is not null)
      and ${behindInOrder(after?.orgId, after?.inboundMessageId, limit)}
  `.execute(db);
  return rows;
}

/** Deletes the raw forms of a contact's messages, and the e-mails that they came as. The messages stay. */
export async function deleteRawForms(trx: Trx, orgId: string, contactId: string): Promise<void> {
  await trx
    .updateTable('inbound_messages')
    .set({ raw: null })
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('raw', 'is not', null)
    .execute();
  await sql`
    update inbound_emails as email set raw = null from inbound_messages as message
    where email.org_id = ${orgId} and message.org_id = email.org_id and message.email_id = email.id
      and message.contact_id = ${contactId} and email.processed_at is not null and email.raw is not null
  `.execute(trx);
}

/** Finds a message of a session as it came from the provider. */
export const findMessageSource = (
  db: Db,
  orgId: string,
  { sessionId, messageId }: { sessionId: string; messageId: string },
) =>
  db
    .selectFrom('inbound_messages as message')
    .innerJoin('session_events as event', (join) =>
      join.onRef('event.org_id', '=', 'message.org_id').onRef('event.id', '=', 'message.id'),
    )
    .select(['message.id', 'message.channel', 'message.provider_id', 'message.from', 'message.to', 'message.cc'])
    .select(['message.sender_name', 'message.reply_to', 'message.subject', 'message.body as text', 'message.html'])
    .select('message.received_at')
    .where('message.org_id', '=', orgId)
    .where('message.id', '=', messageId)
    .where('event.session_id', '=', sessionId)
    .executeTakeFirst();
