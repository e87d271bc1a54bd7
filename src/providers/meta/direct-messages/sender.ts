import { z } from 'zod';
import type { HttpClient } from '../../egress/egress.ts';
import { jsonOf, outcomeOfStatus, outcomeWithoutResponse } from '../../egress/provider-responses.ts';
import type { SendOutcome } from '../../sending.ts';
import { callMeta, MessageId, type MetaResponse } from '../api.ts';
import type { DirectMessage, DirectSender } from './port.ts';
import type { DirectSettings } from './settings.rules.ts';

const CONCURRENCY = 50;

/** Sends messages on Messenger or Instagram. Neither offers a later lookup of a send's outcome. */
export function createDirectSender(egress: HttpClient, settings: DirectSettings): DirectSender {
  return {
    provider: 'meta',
    concurrency: CONCURRENCY,
    async send(message) {
      try {
        const path = `${encodeURIComponent(settings.account)}/messages`;
        return outcomeOf(await callMeta(egress, settings, path, toBody(settings, message)));
      } catch (error) {
        return outcomeWithoutResponse(error);
      }
    },
    close: () => {},
  };
}

/** Messenger returns `metadata` with the echo of the message. */
const toBody = ({ isMessenger }: DirectSettings, { deliveryId, to, ...body }: DirectMessage) => ({
  recipient: { id: to },
  ...(isMessenger && { messaging_type: 'RESPONSE' }),
  message: {
    ...('text' in body
      ? { text: body.text }
      : { attachment: { type: body.file.kind, payload: { url: body.file.url } } }),
    ...(isMessenger && { metadata: deliveryId }),
  },
});

const Accepted = z.object({ message_id: MessageId });

/** By its documents Meta answers with these also after it has sent. */
const DOUBTFUL_CODES = new Set<number | undefined>([1, 2, 1200]);
/** The person is not there, is unknown, or the 24 hours after their last message are over. */
const PERMANENT_SUBCODES = new Set<number | undefined>([1545041, 2018001, 2018065, 2018108, 2018278, 2534022]);
/** The token, its rights or the account. */
const CONFIG_CODES = new Set<number | undefined>([10, 102, 190, 200, 230, 368]);

function outcomeOf(answer: MetaResponse): SendOutcome {
  const { status, code, subcode, reason } = answer;
  const accepted = Accepted.safeParse(jsonOf(answer));
  if (status === 200 && accepted.success) return { kind: 'accepted', providerId: accepted.data.message_id };
  if (PERMANENT_SUBCODES.has(subcode)) return { kind: 'rejected', because: 'permanent', reason };
  if (DOUBTFUL_CODES.has(code)) return { kind: 'unknown', reason };
  if (CONFIG_CODES.has(code)) return { kind: 'rejected', because: 'config', reason };
  const byStatus = outcomeOfStatus(answer, reason);
  return byStatus ?? { kind: 'rejected', because: status === 401 || status === 403 ? 'config' : 'permanent', reason };
}
