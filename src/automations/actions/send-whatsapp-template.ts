import { getDelivery } from '../../deliveries/ledger/service.ts';
import { SendTemplate } from '../../deliveries/messages/schema.ts';
import { sendTemplate, sentTemplateResponseOf } from '../../deliveries/messages/whatsapp.service.ts';
import { Id } from '../../schemas/parts.ts';
import { remoteAction } from './action.ts';
import { DeliveryOutput } from './outputs.ts';

const MAX_WAIT_MS = 20_000;

export const sendWhatsappTemplate = remoteAction({
  type: 'send-whatsapp-template',
  title: 'Send a WhatsApp template',
  description:
    'As POST /whatsapp/send-template. Fails where WhatsApp refuses it, or the contact is blocked or opted out.',
  input: SendTemplate.strict(),
  output: DeliveryOutput.extend({ session_id: Id }),
  async call({ db, secrets, egress, calls, sending: { isDevelopment } }, { orgId, runId, depth, dedupeKey }, input) {
    const deps = { secrets, egress, calls, isDevelopment, maxWaitMs: MAX_WAIT_MS };
    const sent = await sendTemplate(db, deps, orgId, {
      ...input,
      requestKey: dedupeKey,
      cause: { runId, depth },
    });
    await sentTemplateResponseOf(db, orgId, sent);
    const { id, status } = await getDelivery(db, orgId, sent.deliveryId);
    return { id, status, session_id: sent.sessionId };
  },
});
