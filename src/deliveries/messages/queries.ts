import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { Channel } from '../contract.ts';
import type { MessageContent } from '../sending/content.ts';

export type NewMessage = MessageContent & {
  contactId: string | null;
  to: string;
  sender: string | null;
  /** The key of the message's request: a request repeated after a crash sends nothing again. */
  requestKey: string | null;
};

/** Inserts a message for sending, behind all earlier ones, unless its request has one already. */
export async function insertMessage(db: Db, orgId: string, id: string, message: NewMessage): Promise<boolean> {
  const { channel, contactId, to, sender, content, requestKey } = message;
  const inserted = await db
    .insertInto('deliveries')
    .values({
      org_id: orgId,
      id,
      channel,
      contact_id: contactId,
      to,
      sender,
      status: 'queued',
      content: JSON.stringify(content),
      request_key: requestKey,
      request_seq: sql<number>`nextval('delivery_requests')`,
    })
    .onConflict((conflict) => conflict.columns(['org_id', 'request_key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Inserts a message that is not sent, with the reason. Repeated, it changes nothing. */
export async function insertSkipped(
  trx: Trx,
  orgId: string,
  { id, channel, contactId, reason }: { id: string; channel: Channel; contactId: string; reason: string },
): Promise<void> {
  await trx
    .insertInto('deliveries')
    .values({ org_id: orgId, id, channel, contact_id: contactId, status: 'skipped', reason })
    .onConflict((conflict) => conflict.columns(['org_id', 'id']).doNothing())
    .execute();
}

/**
 * Takes a request's key from its message if that was not sent, and not redacted: the request can then be made again.
 */
export async function releaseRequestKey(trx: Trx, orgId: string, requestKey: string): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ request_key: null })
    .where('org_id', '=', orgId)
    .where('request_key', '=', requestKey)
    .where('status', 'in', ['failed', 'skipped', 'suppressed', 'canceled'])
    .where('content', 'is not', null)
    .execute();
}

/** Finds the existing message of a request made within a day. Removes the key from an older one. */
export async function findMessageByRequestKey(db: Db, orgId: string, requestKey: string): Promise<string | undefined> {
  await sql`
    update deliveries set request_key = null
    where org_id = ${orgId} and request_key = ${requestKey} and created_at <= now() - interval '24 hours'
  `.execute(db);
  const row = await db
    .selectFrom('deliveries')
    .select('id')
    .where('org_id', '=', orgId)
    .where('request_key', '=', requestKey)
    .executeTakeFirst();
  return row?.id;
}
