import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { Channel } from '../contract.ts';

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
  body: string;
  /** The delivery it replies to, if the message names one. */
  deliveryId: string | undefined;
  /** False for a mere opt-out. */
  isReply: boolean;
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
  const { id, channel, provider, providerId, from, to, toId = null, subject = null, body, isReply } = message;
  const address = channel === 'email' ? sql`contact.email = ${from}` : sql`contact.phone_number = ${from}`;
  const { rows } = await sql<{ contact_id: string | null }>`
    insert into inbound_messages (org_id, id, channel, provider, provider_id, "from", "to", to_id, subject, body, is_reply, contact_id,
      delivery_id)
    select ${orgId}::uuid, ${id}::uuid, ${channel}, ${provider}, ${providerId}, ${from}, ${to}, ${toId}, ${subject}, ${body}, ${isReply}::boolean,
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
