import type { Db, Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import { newId } from '../../ids.ts';
import { insertContacts } from '../queries.ts';
import { blankContact } from '../saving/merge.rules.ts';
import type { UserChannel } from './table.ts';

interface ChannelUser {
  channel: UserChannel;
  userId: string;
}

/** Returns the contact of a user of a channel, and creates one if there is none. */
export async function resolveChannelUser(trx: Trx, orgId: string, { channel, userId }: ChannelUser): Promise<string> {
  await lockName(trx, `channel user ${orgId} ${channel} ${userId}`);
  const user = await trx
    .selectFrom('channel_users')
    .select('contact_id')
    .where('org_id', '=', orgId)
    .where('channel', '=', channel)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (user !== undefined) return user.contact_id;
  const contact = blankContact(newId());
  await insertContacts(trx, orgId, [contact]);
  await trx
    .insertInto('channel_users')
    .values({ org_id: orgId, channel, user_id: userId, contact_id: contact.id })
    .execute();
  return contact.id;
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
