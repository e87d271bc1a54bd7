import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../providers/constant-time.ts';

/** Maximum difference to the sender's clock. */
const TOLERANCE_SECONDS = 300;

interface SignedRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * Returns whether a request is signed with the secret. Accepts Standard Webhooks (webhook-id, webhook-timestamp,
 * webhook-signature; within five minutes), and the HMAC-SHA256 of the raw body in hex as X-Signature, with or without
 * the prefix `sha256=`.
 */
export function isSigned(secret: string, { headers, body }: SignedRequest, now: Date): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id === 'string' && typeof timestamp === 'string' && typeof signatures === 'string') {
    if (!(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
    const expected = createHmac('sha256', signingKeyOf(secret))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest('base64');
    return signatures.split(' ').some((signature) => isSameSecret(signature, `v1,${expected}`));
  }
  const given = headers['x-signature'];
  if (typeof given !== 'string') return false;
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  return isSameSecret(given.replace(/^sha256=/, '').toLowerCase(), expected);
}

/** Standard Webhooks encodes keys in base64 with the prefix `whsec_`. */
const signingKeyOf = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
