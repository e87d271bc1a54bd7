import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { Channel, InboundMessageRef } from '../contract.ts';
import type { InboundFile } from './messages.table.ts';

/** So long a message waits for its files. */
const PATIENCE = sql`interval '5 minutes'`;

export interface NewInboundMessage {
  id: string;
  channel: Channel;
  provider: string;
  /** The provider's id of the message, for storing it only once. */
  providerId: string;
  from: string;
  to: string;
  /** The provider's id of the number that it came to, if messages are sent by that and not by the number. */
  toId?: string | undefined;
  /** Of an e-mail that has one. */
  subject?: string | undefined;
  /** Of an e-mail: the Message-IDs of its thread before it. */
  thread?: string[] | undefined;
  /** The address that the sender of an e-mail wants answers at, if it is another one. */
  replyTo?: string | undefined;
  /** The name that the sender has given themselves. */
  name?: string | undefined;
  body: string;
  /** The delivery it replies to, if the message names one. */
  deliveryId: string | undefined;
  /** False for a mere opt-out. */
  isReply: boolean;
  /** The files to be fetched from the provider. */
  files?: InboundFile[] | undefined;
}

/**
 * Stores an inbound message once. Its contact is the contact of its delivery, else the contact of its address. Returns
 * the contact, null if there is none, or undefined if the message was stored before.
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
    name = null,
    body,
    isReply,
    files = [],
  } = message;
  const pending = files.length === 0 ? null : JSON.stringify(files);
  const address = channel === 'email' ? sql`contact.email = ${from}` : sql`contact.phone_number = ${from}`;
  const { rows } = await sql<{ contact_id: string | null }>`
    insert into inbound_messages (org_id, id, channel, provider, provider_id, "from", "to", to_id, subject, thread, reply_to, sender_name, body, is_reply, files, contact_id,
      delivery_id)
    select ${orgId}::uuid, ${id}::uuid, ${channel}, ${provider}, ${providerId}, ${from}, ${to}, ${toId}, ${subject}, ${thread}::text[], ${replyTo}, ${name}, ${body}, ${isReply}::boolean,
      ${pending}::jsonb,
      coalesce(delivery.contact_id, (select contact.id from contacts as contact where contact.org_id = ${orgId} and ${address})), delivery.id
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

/** Returns the first of the numbers that is a contact's. */
export async function findContactNumber(db: Db, orgId: string, numbers: string[]): Promise<string | undefined> {
  const found = await db
    .selectFrom('contacts')
    .select('phone_number')
    .where('org_id', '=', orgId)
    .where('phone_number', 'in', numbers)
    .execute();
  return numbers.find((number) => found.some(({ phone_number }) => phone_number === number));
}

/** Finds a message with files to be fetched, and whether it is recent enough to wait for them. */
export const findMessageWithFiles = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('inbound_messages')
    .select(['provider', 'files', sql<boolean>`received_at > now() - ${PATIENCE}`.as('is_recent')])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('files', 'is not', null)
    .$narrowType<{ files: InboundFile[] }>()
    .executeTakeFirst();

/** Notes that the files of a message are dealt with, and returns the message. Returns undefined if they were before. */
export const clearFiles = (trx: Trx, orgId: string, id: string) =>
  trx
    .updateTable('inbound_messages')
    .set({ files: null })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('files', 'is not', null)
    .returning(['channel', 'from', 'body', 'sender_name', 'contact_id as contactId', 'delivery_id as deliveryId'])
    .executeTakeFirst();

/** Returns messages of all orgs with files to be fetched, behind a message, in a fixed order. */
export async function listMessagesWithFiles(
  db: Db,
  after: InboundMessageRef | undefined,
  limit: number,
): Promise<InboundMessageRef[]> {
  const { rows } = await sql<InboundMessageRef>`
    select org_id as "orgId", id as "inboundMessageId" from inbound_messages
    where files is not null
      and ${after === undefined ? sql`true` : sql`(org_id, id) > (${after.orgId}::uuid, ${after.inboundMessageId}::uuid)`}
    order by org_id, id limit ${limit}
  `.execute(db);
  return rows;
}
