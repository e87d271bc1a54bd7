import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { Channel } from '../contract.ts';

const SENDER = sql<string>`coalesce(sender, content->>'from_email')`;

/**
 * Finds the sender of the last message to a contact on a channel, else of the org's last message there. Returns
 * undefined if there is none.
 */
export async function findLastSender(
  db: Db,
  orgId: string,
  channel: Channel,
  contactId: string,
): Promise<string | undefined> {
  const latest = db
    .selectFrom('deliveries')
    .select(SENDER.as('sender'))
    .where('org_id', '=', orgId)
    .where('channel', '=', channel)
    .where(SENDER, 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(1);
  const ofContact = await latest.where('contact_id', '=', contactId).executeTakeFirst();
  return (ofContact ?? (await latest.executeTakeFirst()))?.sender;
}
