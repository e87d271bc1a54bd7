import { requestCall } from '../../deliveries/messages/calls.service.ts';
import { MakeOutboundCall } from '../../deliveries/messages/schema.ts';
import { Id } from '../../schemas/parts.ts';
import { localAction } from './action.ts';
import { DeliveryOutput } from './outputs.ts';

export const makePhoneCall = localAction({
  type: 'make-phone-call',
  title: 'Make a phone call',
  description: 'As POST /phone/outbound-call: an AI phone agent calls a contact, once.',
  input: MakeOutboundCall.strict(),
  output: DeliveryOutput.extend({ session_id: Id }),
  async apply(trx, { sending: { isDevelopment } }, { orgId, dedupeKey }, input) {
    const options = { isDevelopment, hasMailServer: false, requestKey: dedupeKey };
    const { call_id, session_id, status } = await requestCall(trx, orgId, input, options);
    return { id: call_id, status, session_id };
  },
});
