import type { Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import { listContactIdsByAddress } from '../queries.ts';
import { updateContact } from '../saving/service.ts';
import { createBlankContact, resolveContacts } from '../service.ts';
import { findContactOfUser, saveUser } from './queries.ts';

export { findContactOfUser, findWhatsAppUserId } from './queries.ts';

interface WhatsAppUser {
  userId: string;
  /** In E.164, if the user shows it. */
  number: string | undefined;
}

/**
 * Returns the contact of a WhatsApp user, and creates one if there is none. Once the number is known, the user is the
 * contact with the number. If no contact has it, the user's contact gets it.
 */
export async function resolveWhatsAppUser(trx: Trx, orgId: string, { userId, number }: WhatsAppUser): Promise<string> {
  await lockName(trx, `whatsapp user ${orgId} ${userId}`);
  const contact = await findContactOfUser(trx, orgId, userId);
  if (contact !== undefined && (number === undefined || contact.phone_number === number)) return contact.id;
  const contactId =
    number === undefined ? await createBlankContact(trx, orgId) : await contactOf(trx, orgId, contact, number);
  await saveUser(trx, orgId, userId, contactId);
  return contactId;
}

async function contactOf(
  trx: Trx,
  orgId: string,
  known: Awaited<ReturnType<typeof findContactOfUser>>,
  number: string,
): Promise<string> {
  if (known?.phone_number === null && !(await isTaken(trx, orgId, number))) {
    await updateContact(trx, orgId, known.id, { phone: number });
    return known.id;
  }
  const [resolved] = await resolveContacts(trx, orgId, [{ phone_number: number }]);
  if (resolved?.contactId === undefined) throw new Error('The sender of a message has no contact');
  return resolved.contactId;
}

async function isTaken(trx: Trx, orgId: string, number: string): Promise<boolean> {
  const matches = await listContactIdsByAddress(trx, orgId, { ids: [], emails: [], phones: [number] });
  return matches.length > 0;
}
