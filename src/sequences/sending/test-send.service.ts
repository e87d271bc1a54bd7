import { toE164 } from '../../contacts/phone-number.schema.ts';
import { getContact } from '../../contacts/service.ts';
import { EMPTY_CONTACT } from '../../contacts/templates/rules.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { requestMessage } from '../../deliveries/messages/service.ts';
import { type ChannelDefaults, listChannels } from '../../deliveries/sending/channels.service.ts';
import { invalid } from '../../errors.ts';
import { EmailAddress } from '../../schemas/parts.ts';
import { getSequence } from '../definitions/service.ts';
import type { TestSequence } from '../schema.ts';
import { CHANNEL_OF, contentOf, senderOf } from '../steps/content.rules.ts';
import { listAllSteps } from '../steps/shared.queries.ts';

/**
 * Sends each step able to reach the address at once, as a contact would get it: e-mails to an e-mail address, the other
 * channels to a phone number. No enrollment is changed. Throws notFound, and invalid if no step reaches the address or one
 * cannot be sent with the values of the contact.
 */
export function sendTest(
  db: Db,
  orgId: string,
  { ref, to, contact_id }: TestSequence & { ref: string },
  defaults: ChannelDefaults,
) {
  return inTransaction(db, async (trx) => {
    const sequence = await getSequence(trx, orgId, ref);
    const address = addressOf(to);
    const steps = (await listAllSteps(trx, orgId, sequence.id)).filter((step) => !step.is_deleted);
    const contact = contact_id === undefined ? EMPTY_CONTACT : await getContact(trx, orgId, contact_id);
    const channels = await listChannels(trx, orgId, defaults);
    const data = [];
    for (const [index, { id: stepId, action }] of steps.entries()) {
      const channel = CHANNEL_OF[action.type];
      if ((channel === 'email') !== address.isEmail) continue;
      const sender = senderOf(action, channels.get(channel) ?? null);
      const composition = contentOf(action)(contact);
      if ('problem' in composition) throw invalid(`Step ${index + 1} cannot be sent: ${composition.problem}`);
      const message = { ...composition.ok, contactId: null, to: address.to, sender, requestKey: null };
      const id = await requestMessage(trx, orgId, message);
      data.push({ id, step_id: stepId, index, channel, to: address.to, status: 'queued' });
    }
    if (data.length === 0) {
      const kind = address.isEmail ? 'an e-mail address' : 'a phone number';
      throw invalid(`body.to: no step of this sequence goes to ${kind}`, [
        { path: 'body.to', message: `no step of this sequence goes to ${kind}` },
      ]);
    }
    return { data };
  });
}

function addressOf(to: string): { to: string; isEmail: boolean } {
  const number = toE164(to);
  if (number !== undefined) return { to: number, isEmail: false };
  if (EmailAddress.safeParse(to).success) return { to: to.toLowerCase(), isEmail: true };
  const message = 'must be an e-mail address, or a phone number with + and the country code';
  throw invalid(`body.to: ${message}`, [{ path: 'body.to', message }]);
}
