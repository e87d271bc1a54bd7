import { z } from 'zod';
import type { HttpClient } from '../egress/egress.ts';
import { jsonOf, outcomeOfStatus, outcomeWithoutResponse } from '../egress/provider-responses.ts';
import type { SendOutcome } from '../sending.ts';
import { callMeta, MessageId, type MetaResponse, type MetaSettings, PAIR_RATE_LIMIT_CODE } from './api.ts';
import type { WhatsAppMessage, WhatsAppSender, WhatsAppTemplate } from './port.ts';
import { isUserId } from './user-ids.rules.ts';

const CONCURRENCY = 50;

/** Sends templates and texts by WhatsApp's Cloud API. The API offers no later lookup of a send's outcome. */
export function createMetaSender(egress: HttpClient, settings: MetaSettings): WhatsAppSender {
  return {
    provider: 'meta',
    concurrency: CONCURRENCY,
    async send(message) {
      try {
        const path = `${encodeURIComponent(message.phoneNumberId)}/messages`;
        return outcomeOf(await callMeta(egress, settings, path, toBody(message)));
      } catch (error) {
        return outcomeWithoutResponse(error);
      }
    },
    close: () => {},
  };
}

const toBody = ({ deliveryId, to, ...body }: WhatsAppMessage) => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  ...(isUserId(to) ? { recipient: to } : { to }),
  ...('text' in body
    ? { type: 'text', text: { body: body.text } }
    : { type: 'template', template: templateOf(body.template) }),
  biz_opaque_callback_data: deliveryId,
});

const templateOf = ({ name, language, components }: WhatsAppTemplate) => ({
  name,
  language: { code: language },
  ...(components.length > 0 && { components }),
});

const Accepted = z.object({ messages: z.tuple([z.object({ id: MessageId })], z.unknown()) });

/** The meaning of Meta's codes for a message. Any other code is evaluated by its status. */
const REJECTIONS = new Map<number | undefined, 'permanent' | 'suppress' | 'config'>([
  [10, 'config'], // permission missing
  [33, 'config'], // number deleted
  [190, 'config'], // token expired or revoked
  [368, 'config'], // blocked for policy violations
  [131005, 'config'], // access denied
  [131026, 'suppress'], // not on WhatsApp
  [131031, 'config'], // account locked
  [131042, 'config'], // payment
  [131047, 'permanent'], // a text, more than 24 hours after the contact's last message
  [132000, 'permanent'], // wrong number of parameters
  [132001, 'config'], // no such template
  [132012, 'permanent'], // wrong form of parameters
  [132015, 'config'], // template paused
  [132016, 'config'], // template disabled
  [133010, 'config'], // number not registered
]);

function outcomeOf(answer: MetaResponse): SendOutcome {
  const { status, code, reason } = answer;
  const accepted = Accepted.safeParse(jsonOf(answer));
  if (status === 200 && accepted.success) return { kind: 'accepted', providerId: accepted.data.messages[0].id };
  const because = REJECTIONS.get(code);
  if (because !== undefined) return { kind: 'rejected', because, reason };
  const byStatus = outcomeOfStatus(answer, reason);
  if (byStatus?.kind === 'retry' && code === PAIR_RATE_LIMIT_CODE) return { ...byStatus, scope: 'recipient' };
  return byStatus ?? { kind: 'rejected', because: status === 401 || status === 403 ? 'config' : 'permanent', reason };
}
