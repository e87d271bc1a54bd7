import { z } from 'zod';
import type { HttpClient } from '../egress/egress.ts';
import { jsonOf, outcomeOfStatus, outcomeWithoutResponse } from '../egress/provider-responses.ts';
import type { SendOutcome } from '../sending.ts';
import {
  callMeta,
  isFileRefusal,
  MessageId,
  type MetaResponse,
  type MetaSettings,
  PAIR_RATE_LIMIT_CODE,
} from './api.ts';
import type { WhatsAppMedia, WhatsAppMessage, WhatsAppSender, WhatsAppTemplate } from './port.ts';
import { isUserId } from './user-ids.rules.ts';

const CONCURRENCY = 50;

/** Sends templates, texts and files by WhatsApp's Cloud API. The API offers no later lookup of a send's outcome. */
export function createMetaSender(egress: HttpClient, settings: MetaSettings): WhatsAppSender {
  return {
    provider: 'meta',
    concurrency: CONCURRENCY,
    async send(message) {
      if (!('media' in message)) return (await post(egress, settings, message)).outcome;
      const { otherText: text } = message.media;
      const { outcome, isFileRefused } = await sendFile(egress, settings, message);
      if (!isFileRefused || text === undefined) return outcome;
      const { deliveryId, to, phoneNumberId } = message;
      return (await post(egress, settings, { deliveryId, to, phoneNumberId, text })).outcome;
    },
    close: () => {},
  };
}

/** The outcome of a send. A refusal may be of the file alone: then nothing was sent, and a text could be. */
interface Sent {
  outcome: SendOutcome;
  isFileRefused: boolean;
}

async function sendFile(
  egress: HttpClient,
  settings: MetaSettings,
  message: WhatsAppMessage & { media: WhatsAppMedia },
): Promise<Sent> {
  const uploaded = await upload(egress, settings, message, message.media);
  if (typeof uploaded === 'string') return post(egress, settings, message, uploaded);
  return { outcome: uploaded, isFileRefused: uploaded.kind === 'rejected' && uploaded.because === 'permanent' };
}

async function post(
  egress: HttpClient,
  settings: MetaSettings,
  message: WhatsAppMessage,
  mediaId?: string,
): Promise<Sent> {
  try {
    const path = `${encodeURIComponent(message.phoneNumberId)}/messages`;
    const answer = await callMeta(egress, settings, path, toBody(message, mediaId));
    return { outcome: outcomeOf(answer), isFileRefused: isFileRefusal(answer.code) };
  } catch (error) {
    return { outcome: outcomeWithoutResponse(error), isFileRefused: false };
  }
}

const Uploaded = z.object({ id: z.string().regex(/^[\w.-]{1,128}$/) });

/** Uploads a file, and returns Meta's id of it. A failure is an outcome that has sent nothing. */
async function upload(
  egress: HttpClient,
  settings: MetaSettings,
  { phoneNumberId }: WhatsAppMessage,
  { bytes, name, mimeType }: WhatsAppMedia,
): Promise<string | SendOutcome> {
  const form = new FormData();
  // The API takes no CSV, which is plain text.
  const type = mimeType === 'text/csv' ? 'text/plain' : mimeType;
  form.set('messaging_product', 'whatsapp');
  form.set('type', type);
  form.set('file', new Blob([new Uint8Array(bytes)], { type }), name);
  try {
    const answer = await callMeta(egress, settings, `${encodeURIComponent(phoneNumberId)}/media`, form);
    const uploaded = Uploaded.safeParse(jsonOf(answer)).data;
    if (answer.status === 200 && uploaded !== undefined) return uploaded.id;
    return withoutSend(outcomeOf(answer));
  } catch (error) {
    return withoutSend(outcomeWithoutResponse(error));
  }
}

/** An upload sends nothing, whatever became of it. */
const withoutSend = (outcome: SendOutcome): SendOutcome =>
  outcome.kind === 'unknown' || outcome.kind === 'accepted'
    ? { kind: 'retry', scope: 'recipient', reason: 'reason' in outcome ? outcome.reason : 'Meta did not keep the file' }
    : outcome;

const toBody = ({ deliveryId, to, ...body }: WhatsAppMessage, mediaId: string | undefined) => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  ...(isUserId(to) ? { recipient: to } : { to }),
  ...('media' in body
    ? { type: body.media.kind, [body.media.kind]: mediaOf(body.media, mediaId) }
    : 'text' in body
      ? { type: 'text', text: { body: body.text } }
      : { type: 'template', template: templateOf(body.template) }),
  biz_opaque_callback_data: deliveryId,
});

const mediaOf = ({ kind, name, caption }: WhatsAppMedia, id: string | undefined) => ({
  id,
  ...(caption !== undefined && { caption }),
  ...(kind === 'document' && { filename: name }),
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
