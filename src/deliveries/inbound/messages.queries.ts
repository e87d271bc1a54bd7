import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { Channel } from '../contract.ts';

export interface NewInboundMessage {
  id: string;
  channel: Channel;
  provider: string;
  /** The provider's id of the message: it is stored once. */
  providerId: string;
  from: string;
  to: string;
  body: string;
  /** The delivery that it answers, where it says so. */
  deliveryId: string | undefined;
  /** False for what only opts out. */
  isReply: boolean;
}

/**
 * Stores a message that came in, once. Its contact is that of the delivery it answers, else whoever has its address. Gives the contact, or
 * null where nobody has it; undefined where the message was stored before.
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
