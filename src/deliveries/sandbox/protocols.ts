import { z } from 'zod';
import type { CallbackUrls } from '../../orgs/integrations/callback-urls.ts';
import { metaSignature } from '../../providers/meta/callbacks.ts';
import { twilioSignature } from '../../providers/twilio/callbacks.ts';

/** One send request to a provider. */
export interface SandboxRequest {
  to: string;
  /** The request's body, as JSON. */
  payload: unknown;
}

export type SandboxSend = SandboxRequest & { deliveryId: string };

export interface SandboxCallback {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A provider's protocol: its requests, responses and reports. */
export interface SandboxProtocol {
  read(body: string): SandboxRequest;
  /** Returns the answer to a request of this address that sends nothing. Undefined if it sends. */
  answerBesides?(url: string): object | undefined;
  accepted(send: SandboxSend): { status: number; body: object };
  /** The refusals for magic numbers. */
  refusals: Record<'invalid' | 'suppressed', { status: number; body: object }>;
  /** The successive statuses of a message. */
  statusSequences: Record<'success' | 'failure', string[]>;
  callback(send: SandboxSend, status: string, orgId: string, callbacks: CallbackUrls): SandboxCallback;
}

const idOf = (prefix: string, { deliveryId }: Pick<SandboxSend, 'deliveryId'>) =>
  `${prefix}${deliveryId.replaceAll('-', '')}`;
const json = { 'content-type': 'application/json' };

export const TWILIO_PROTOCOL: SandboxProtocol = {
  answerBesides: (url) =>
    url.includes('/IncomingPhoneNumbers.json')
      ? { incoming_phone_numbers: [{ capabilities: { mms: true } }] }
      : undefined,
  read(body) {
    const form = new URLSearchParams(body);
    return {
      to: form.get('To') ?? '',
      payload: { ...Object.fromEntries(form), ...(form.has('MediaUrl') && { MediaUrl: form.getAll('MediaUrl') }) },
    };
  },
  accepted: (send) => ({ status: 201, body: { sid: idOf('SM', send), status: 'queued' } }),
  refusals: {
    invalid: { status: 400, body: { code: 21211, message: "The 'To' number is not a valid phone number." } },
    suppressed: { status: 400, body: { code: 21610, message: 'Attempt to send to unsubscribed recipient' } },
  },
  statusSequences: { success: ['sent', 'delivered'], failure: ['sent', 'undelivered'] },
  callback(send, status, orgId, callbacks) {
    const url = `${callbacks.urlOf('twilio', orgId)}?delivery=${send.deliveryId}`;
    const fields = new URLSearchParams({ MessageSid: idOf('SM', send), MessageStatus: status, To: send.to });
    if (status === 'undelivered') fields.set('ErrorCode', '30003');
    const signature = twilioSignature(callbacks.secretsOf('twilio', orgId)[0], url, fields);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
    return { url, headers, body: fields.toString() };
  },
};

const MetaRequest = z.looseObject({ to: z.string() });

export const META_PROTOCOL: SandboxProtocol = {
  answerBesides: (url) => (url.endsWith('/media') ? { id: 'sandbox' } : undefined),
  read(body) {
    const payload = MetaRequest.parse(JSON.parse(body));
    return { to: payload.to, payload };
  },
  accepted: (send) => ({
    status: 200,
    body: { messaging_product: 'whatsapp', messages: [{ id: idOf('wamid.', send) }] },
  }),
  refusals: {
    invalid: { status: 400, body: { error: { code: 100, message: 'Invalid parameter' } } },
    suppressed: { status: 400, body: { error: { code: 131026, message: 'Message undeliverable' } } },
  },
  statusSequences: { success: ['sent', 'delivered', 'read'], failure: ['sent', 'failed'] },
  callback(send, status, orgId, callbacks) {
    const report = {
      id: idOf('wamid.', send),
      status,
      timestamp: String(Math.floor(Date.now() / 1000)),
      recipient_id: send.to.slice(1),
      biz_opaque_callback_data: send.deliveryId,
      ...(status === 'failed' ? { errors: [{ code: 131053, title: 'Media upload error' }] } : {}),
    };
    const value = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15005550006' },
      statuses: [report],
    };
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: 'sandbox', changes: [{ field: 'messages', value }] }],
    });
    return metaCallback(body, orgId, callbacks);
  },
};

function metaCallback(body: string, orgId: string, callbacks: CallbackUrls): SandboxCallback {
  const signature = metaSignature(callbacks.secretsOf('meta', orgId)[0], Buffer.from(body));
  return { url: callbacks.urlOf('meta', orgId), headers: { ...json, 'x-hub-signature-256': signature }, body };
}

const DirectRequest = z.looseObject({ recipient: z.object({ id: z.string() }) });
const directId = ({ deliveryId }: SandboxSend) => `m_${deliveryId}`;

const DIRECT_PROTOCOL = {
  read(body: string) {
    const payload = DirectRequest.parse(JSON.parse(body));
    return { to: payload.recipient.id, payload };
  },
  accepted: (send: SandboxSend) => ({ status: 200, body: { recipient_id: send.to, message_id: directId(send) } }),
  refusals: {
    invalid: { status: 400, body: { error: { code: 100, error_subcode: 2018001, message: 'No matching user found' } } },
    suppressed: { status: 400, body: { error: { code: 551, error_subcode: 1545041, message: 'Not available' } } },
  },
};

/** Only the echo of a message has our id, by which a report of the sandbox is known. */
export const MESSENGER_PROTOCOL: SandboxProtocol = {
  ...DIRECT_PROTOCOL,
  statusSequences: { success: ['sent'], failure: [] },
  callback(send, _status, orgId, callbacks) {
    const message = { is_echo: true, mid: directId(send), metadata: send.deliveryId };
    const event = { sender: { id: '1' }, recipient: { id: send.to }, timestamp: Date.now(), message };
    const entry = [{ id: '1', time: Date.now(), messaging: [event] }];
    return metaCallback(JSON.stringify({ object: 'page', entry }), orgId, callbacks);
  },
};

export const INSTAGRAM_PROTOCOL: SandboxProtocol = {
  ...DIRECT_PROTOCOL,
  statusSequences: { success: [], failure: [] },
  callback: noReport,
};

function noReport(): never {
  throw new TypeError('The sandbox reports nothing on this channel');
}

const SlackRequest = z.looseObject({
  channel: z.string().optional(),
  channel_id: z.string().optional(),
  thread_ts: z.string(),
});

export const SLACK_PROTOCOL: SandboxProtocol = {
  answerBesides(url) {
    if (url.endsWith('/files.getUploadURLExternal'))
      return { ok: true, upload_url: 'https://files.slack.com/sandbox', file_id: 'F0SANDBOX' };
    return url.startsWith('https://files.slack.com/') ? {} : undefined;
  },
  read(body) {
    const payload = SlackRequest.parse(JSON.parse(body));
    return { to: `${payload.channel ?? payload.channel_id}:${payload.thread_ts}`, payload };
  },
  accepted: ({ deliveryId, to }) => {
    const fraction = BigInt(`0x${deliveryId.slice(-12)}`) % 100_000_000n;
    const ts = `${Math.floor(Date.now() / 1000)}.${fraction}`;
    return {
      status: 200,
      body: { ok: true, channel: to.split(':')[0], ts, files: [{ id: idOf('F', { deliveryId }).toUpperCase() }] },
    };
  },
  refusals: {
    invalid: { status: 200, body: { ok: false, error: 'channel_not_found' } },
    suppressed: { status: 200, body: { ok: false, error: 'is_archived' } },
  },
  statusSequences: { success: [], failure: [] },
  callback: noReport,
};

const VapiRequest = z.looseObject({
  customer: z.looseObject({ number: z.string() }),
});

export const VAPI_PROTOCOL: SandboxProtocol = {
  read(body) {
    const payload = VapiRequest.parse(JSON.parse(body));
    return { to: payload.customer.number, payload };
  },
  accepted: (send) => ({ status: 201, body: { id: send.deliveryId, status: 'queued' } }),
  refusals: {
    invalid: { status: 400, body: { message: 'customer.number must be a valid phone number in the E.164 format.' } },
    suppressed: { status: 400, body: { message: 'The customer does not want to be called.' } },
  },
  statusSequences: { success: ['in-progress', 'customer-ended-call'], failure: ['customer-did-not-answer'] },
  callback(send, status, orgId, callbacks) {
    const call = { id: send.deliveryId, assistant: { metadata: { delivery_id: send.deliveryId } } };
    const message =
      status === 'in-progress'
        ? { type: 'status-update', status, call }
        : { type: 'end-of-call-report', endedReason: status, call };
    const headers = { ...json, 'x-vapi-secret': callbacks.secretsOf('vapi', orgId)[0] };
    return { url: callbacks.urlOf('vapi', orgId), headers, body: JSON.stringify({ message }) };
  },
};
