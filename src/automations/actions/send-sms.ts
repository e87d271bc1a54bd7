import { z } from 'zod';
import { ContactRef } from '../../contacts/schema.ts';
import { requestSms } from '../../deliveries/messages/sms.service.ts';
import { MAX_SMS_LENGTH } from '../../deliveries/sending/lengths.rules.ts';
import { localAction } from './action.ts';
import { DeliveryOutput } from './outputs.ts';

export const sendSms = localAction({
  type: 'send-sms',
  title: 'Send an SMS',
  description: 'Sends a text to a contact’s phone number, unless the contact is blocked or opted out.',
  input: z.strictObject({ contact: ContactRef, text: z.string().min(1).max(MAX_SMS_LENGTH) }),
  output: DeliveryOutput,
  apply: (trx, { sending: { isDevelopment } }, { orgId, dedupeKey }, input) =>
    requestSms(trx, orgId, input, { isDevelopment, requestKey: dedupeKey }),
});
