import type { Db, Trx } from '../../db/connect.ts';
import type { UserChannel } from './channels.rules.ts';

/** A person by the id of a channel. */
export interface ChannelUser {
  channel: UserChannel;
  userId: string;
}

/** Finds the contact of a user of a channel. */
export async function findContactOfChannelUser(
  db: Db,
  orgId: string,
  { channel, userId }: ChannelUser,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('channel_users')
    .select('contact_id')
    .where('org_id', '=', orgId)
    .where('channel', '=', channel)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.contact_id;
}

/** Finds the id by which a channel has named a contact last. */
export async function findChannelUserId(
  db: Db,
  orgId: string,
  { channel, contactId }: { channel: UserChannel; contactId: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('channel_users')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('channel', '=', channel)
    .orderBy('seen_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.user_id;
}

/** Records which contact a user of a channel is. */
export async function insertChannelUser(
  trx: Trx,
  orgId: string,
  { channel, userId, contactId }: ChannelUser & { contactId: string },
): Promise<void> {
  await trx
    .insertInto('channel_users')
    .values({ org_id: orgId, channel, user_id: userId, contact_id: contactId })
    .execute();
}
