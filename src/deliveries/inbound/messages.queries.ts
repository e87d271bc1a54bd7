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
  const { id, channel, provider, providerId, from, to, body, deliveryId = null, isReply } = message;
  const address = channel === 'email' ? sql`contact.email = ${from}` : sql`contact.phone_number = ${from}`;
  const { rows } = await sql<{ contact_id: string | null }>`
    insert into inbound_messages (org_id, id, channel, provider, provider_id, "from", "to", body, is_reply, contact_id, delivery_id)
    select ${orgId}::uuid, ${id}::uuid, ${channel}, ${provider}, ${providerId}, ${from}, ${to}, ${body}, ${isReply}::boolean,
      coalesce(delivery.contact_id, (select contact.id from contacts as contact where contact.org_id = ${orgId} and ${address})), delivery.id
    from (select) as message
    left join deliveries as delivery on delivery.org_id = ${orgId} and delivery.id = ${deliveryId}::uuid
    on conflict (org_id, provider, provider_id) do nothing
    returning contact_id
  `.execute(db);
  return rows[0]?.contact_id;
}
