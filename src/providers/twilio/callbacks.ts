import { createHmac } from 'node:crypto';
import { isUuid } from '../../ids.ts';
import { isSameSecret } from '../constant-time.ts';
import { reasonFrom } from '../egress/provider-responses.ts';
import type { CallbackContent, Consent, InboundFile, InboundMessage, StatusReport } from '../sending.ts';
import { storable } from '../storable.rules.ts';
import { isFileRefusal, MESSAGE_SID } from './port.ts';

/** The contact answered STOP. */
const OPTED_OUT = '21610';
/** Twilio allows as many in an MMS. */
const MAX_FILES = 10;

/**
 * Whether X-Twilio-Signature matches this URL, query included, and these form fields under the account's token. Twilio
 * treats the port inconsistently, so signatures with and without it are accepted, as in Twilio's own libraries.
 */
export function isTwilioSignature(
  authToken: string,
  url: string,
  params: Iterable<[string, string]>,
  signature: string | undefined,
): boolean {
  if (signature === undefined) return false;
  const fields = [...params];
  return [url, withOrWithoutPort(url)].some((address) =>
    isSameSecret(signature, twilioSignature(authToken, address, fields)),
  );
}

/** Returns Twilio's signature: Base64 of HMAC-SHA1 over the URL and the form's fields. */
export const twilioSignature = (authToken: string, url: string, params: Iterable<[string, string]>): string =>
  createHmac('sha1', authToken)
    .update(`${url}${fieldsOf(params)}`)
    .digest('base64');

/** Joins names in order, each followed by its value. Values of one name are in order too, without duplicates. */
const fieldsOf = (params: Iterable<[string, string]>): string =>
  [...params]
    .sort(([name, value], [otherName, other]) => compare(name, otherName) || compare(value, other))
    .filter(([name, value], i, sorted) => name !== sorted[i - 1]?.[0] || value !== sorted[i - 1]?.[1])
    .flat()
    .join('');

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Returns the URL without its port or, if it has none, with the standard one. */
function withOrWithoutPort(url: string): string {
  const standardPort = url.startsWith('https:') ? ':443' : ':80';
  return url.replace(/^(https?:\/\/[^/?#:]*)(:\d+)?/, (_, origin, port) => (port ? origin : origin + standardPort));
}

/**
 * Whether a callback has the fields of a report or of a message. Twilio signs names and values without separators, so one
 * value can hold further fields under the same signature: what lacks a field that Twilio always sends may be such a one.
 */
export function isTwilioCallback(form: URLSearchParams): boolean {
  const isReport = form.has('MessageStatus') || form.has('SmsStatus');
  const isMessage = Boolean(form.get('From')) && form.has('To') && (form.has('Body') || form.has('NumMedia'));
  return MESSAGE_SID.test(form.get('MessageSid') ?? form.get('SmsSid') ?? '') && (isReport || isMessage);
}

/** Reads a callback with a verified signature. Never throws: anything but a relevant status or message is skipped. */
export function readTwilioCallback(query: URLSearchParams, body: URLSearchParams): CallbackContent {
  const providerId = body.get('MessageSid') ?? body.get('SmsSid');
  if (providerId === null || !MESSAGE_SID.test(providerId)) return { reports: [], messages: [] };
  const report = reportIn(query, body, providerId);
  const message = messageIn(body, providerId);
  return { reports: report === undefined ? [] : [report], messages: message === undefined ? [] : [message] };
}

const STATUSES = new Map<string | null, StatusReport['status']>([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['undelivered', 'failed'],
  ['failed', 'failed'],
]);

function reportIn(query: URLSearchParams, body: URLSearchParams, providerId: string): StatusReport | undefined {
  const given = body.get('MessageStatus');
  const status = STATUSES.get(given);
  if (status === undefined) return undefined;
  const deliveryId = query.get('delivery');
  const code = body.get('ErrorCode');
  const because = `${body.get('ErrorMessage') ?? given} (Twilio ${code ?? 'gave no code'})`;
  return {
    providerId,
    deliveryId: deliveryId !== null && isUuid(deliveryId) ? deliveryId : undefined,
    status,
    reason: status === 'failed' ? reasonFrom(because, []) : null,
    isSuppressing: status === 'failed' && code === OPTED_OUT,
    isFileRefused: status === 'failed' && isFileRefusal(Number(code)),
  };
}

function messageIn(body: URLSearchParams, providerId: string): InboundMessage | undefined {
  const [from, to, text] = [body.get('From'), body.get('To'), body.get('Body')];
  const isInbound = !body.has('MessageStatus') && (body.get('SmsStatus') ?? 'received') === 'received';
  const files = filesIn(body);
  if (!isInbound || from === null || to === null || (text === null && files.length === 0)) return undefined;
  const consent = CONSENTS.get(body.get('OptOutType')?.toUpperCase());
  return {
    providerId,
    from,
    to,
    text: storable(text ?? ''),
    ...(consent && { consent }),
    ...(files.length > 0 && { files }),
  };
}

/** Twilio's reading of a message with the words that the account has set for its languages. It has answered already. */
const CONSENTS = new Map<string | undefined, Consent>([
  ['STOP', 'stop'],
  ['START', 'start'],
  ['HELP', 'help'],
]);

/** Returns the files of an MMS: Twilio numbers their fields from 0. */
function filesIn(body: URLSearchParams): InboundFile[] {
  const count = Math.min(Number(body.get('NumMedia')) || 0, MAX_FILES);
  return Array.from({ length: count }, (_, n) => body.get(`MediaUrl${n}`) ?? '').flatMap((source, n) =>
    URL.canParse(source) ? [{ kind: kindOf(body.get(`MediaContentType${n}`) ?? ''), source, name: null }] : [],
  );
}

function kindOf(contentType: string): InboundFile['kind'] {
  const [family] = contentType.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}
