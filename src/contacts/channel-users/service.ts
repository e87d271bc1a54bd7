import type { Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import { createBlankContact } from '../service.ts';
import { type ChannelUser, findContactOfChannelUser, insertChannelUser } from './queries.ts';

export { findChannelUserId, findContactOfChannelUser } from './queries.ts';

/** Returns the contact of a user of a channel, and creates one if there is none. */
export async function resolveChannelUser(trx: Trx, orgId: string, user: ChannelUser): Promise<string> {
  await lockName(trx, `channel user ${orgId} ${user.channel} ${user.userId}`);
  const found = await findContactOfChannelUser(trx, orgId, user);
  if (found !== undefined) return found;
  const contactId = await createBlankContact(trx, orgId);
  await insertChannelUser(trx, orgId, { ...user, contactId });
  return contactId;
}
