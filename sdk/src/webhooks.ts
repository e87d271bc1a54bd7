import type { Webhooks } from '../generated/types.gen.ts';

const PREFIX = 'whsec_';
const VERSION = 'v1,';
const TOLERANCE_MS = 300_000;
const encoder = new TextEncoder();

/** Why a webhook was not accepted. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

/**
 * An event as webhooks send it. Its `type` says which one it is. Its `data` has only ids and a `url` if the endpoint wants
 * that, or if it would be very large: `'url' in event.data`. A later version of the API may send other types.
 */
export type WebhookEvent = Webhooks['body'];

export interface SignedWebhook {
  /** The headers of the request, as Node.js or `fetch` gives them. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The body as it came: text that was parsed and written again has another signature. */
  body: string | Uint8Array;
  /** The secret of the endpoint, or several while one is being replaced. */
  secret: string | string[];
  /** How far the time of the request may be from now. Default: five minutes. */
  toleranceMs?: number;
}

/**
 * Returns the event of a webhook that is signed with the secret of its endpoint. Rejects with WebhookRefused if a signature
 * is missing or wrong, or too old or too new. Signatures are compared in constant time.
 */
export async function verifyWebhook({
  headers,
  body,
  secret,
  toleranceMs = TOLERANCE_MS,
}: SignedWebhook): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const isNow = Math.abs(Date.now() - Number(timestamp) * 1_000) <= toleranceMs;
  if (!isNow) throw new WebhookRefused('The time of the webhook is not within the tolerance');
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const signed = concat(encoder.encode(`${id}.${timestamp}.`), bytes);
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  for (const key of await Promise.all([secret].flat().map(importKey)))
    for (const signature of signatures)
      if (await isSignedBy(key, signature, signed)) return JSON.parse(new TextDecoder().decode(bytes));
  throw new WebhookRefused('No signature of the webhook is right');
}

function headerOf(headers: SignedWebhook['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string') throw new WebhookRefused(`The header ${name} is missing`);
  return value;
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === undefined) throw new TypeError(`The secret must be ${PREFIX} and base64`);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

async function isSignedBy(key: CryptoKey, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const bytes = signature.startsWith(VERSION) ? bytesOf(signature.slice(VERSION.length)) : undefined;
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
