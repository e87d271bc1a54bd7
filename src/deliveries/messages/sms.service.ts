import type { ContactRef } from '../../contacts/schema.ts';
import { getContact, resolveContacts } from '../../contacts/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { listChannels } from '../sending/channels.service.ts';
import { findMessageByRequestKey } from './queries.ts';
import { requestMessage } from './service.ts';

/**
 * Accepts an SMS to a contact for sending, once per request key within a day. Throws notFound for the contact, invalid
 * for one without a number, and conflict without a connected provider.
 */
export function requestSms(
  db: Db,
  orgId: string,
  { contact: ref, text }: { contact: ContactRef; text: string },
  { isDevelopment, requestKey }: { isDevelopment: boolean; requestKey: string },
): Promise<{ id: string; status: string }> {
  return inTransaction(db, async (trx) => {
    const made = await findMessageByRequestKey(trx, orgId, requestKey);
    if (made !== undefined) return { id: made, status: 'queued' };
    if (!(await listChannels(trx, orgId, { isDevelopment, hasMailServer: false })).has('sms'))
      throw conflict('No SMS provider is connected: PUT /integrations/sms first');
    const [resolved] = await resolveContacts(trx, orgId, [ref]);
    if (resolved?.contactId === undefined) throw notFound('contact');
    const { id: contactId, phone_number: to } = await getContact(trx, orgId, resolved.contactId);
    if (to === null) throw invalid('contact: has no phone number to send to');
    const sms = { channel: 'sms', content: { body: text }, contactId, to, sender: null, requestKey } as const;
    return { id: await requestMessage(trx, orgId, sms), status: 'queued' };
  });
}
