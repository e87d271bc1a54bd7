import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Channel } from './contract.ts';

/** What the last message to a contact on a channel came from, else the last of the org there; undefined where there was none. */
export async function findLastSender(
  db: Db,
  orgId: string,
  channel: Channel,
  contactId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ sender: string }>`
    (select coalesce(sender, content->>'from_email') as sender, 0 as rank, created_at from deliveries
      where org_id = ${orgId} and contact_id = ${contactId} and channel = ${channel} and coalesce(sender, content->>'from_email') is not null
      order by created_at desc limit 1)
    union all
    (select coalesce(sender, content->>'from_email'), 1, created_at from deliveries
      where org_id = ${orgId} and channel = ${channel} and coalesce(sender, content->>'from_email') is not null
      order by created_at desc limit 1)
    order by rank limit 1
  `.execute(db);
  return rows[0]?.sender;
}
