import type { Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import { newId } from '../../ids.ts';
import { insertContacts } from '../queries.ts';
import { blankContact } from '../saving/merge.rules.ts';
import { type ChannelUser, findContactOfChannelUser, insertChannelUser } from './queries.ts';

export { findChannelUserId, findContactOfChannelUser } from './queries.ts';

/** Returns the contact of a user of a channel, and creates one if there is none. */
export async function resolveChannelUser(trx: Trx, orgId: string, user: ChannelUser): Promise<string> {
  await lockName(trx, `channel user ${orgId} ${user.channel} ${user.userId}`);
  const found = await findContactOfChannelUser(trx, orgId, user);
  if (found !== undefined) return found;
  const contact = blankContact(newId());
  await insertContacts(trx, orgId, [contact]);
  await insertChannelUser(trx, orgId, { ...user, contactId: contact.id });
  return contact.id;
}
