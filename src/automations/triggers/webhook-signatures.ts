import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../providers/constant-time.ts';

/** Maximum difference to the sender's clock. */
const TOLERANCE_SECONDS = 300;

interface SignedRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** `untimed`: the signature says nothing of the time, so that the same request is valid for ever. */
export type Signature = 'timed' | 'untimed' | 'wrong';

/**
 * Checks a request's signature. Accepts Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature; within five
 * minutes), and the HMAC-SHA256 of the raw body in hex as X-Signature, with or without the prefix `sha256=`.
 */
export function checkSignature(secret: string, { headers, body }: SignedRequest, now: Date): Signature {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id === 'string' && typeof timestamp === 'string' && typeof signatures === 'string') {
    if (!(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return 'wrong';
    const expected = createHmac('sha256', signingKeyOf(secret))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest('base64');
    const isSigned = signatures.split(' ').some((signature) => isSameSecret(signature, `v1,${expected}`));
    return isSigned ? 'timed' : 'wrong';
  }
  const given = headers['x-signature'];
  if (typeof given !== 'string') return 'wrong';
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  return isSameSecret(given.replace(/^sha256=/, '').toLowerCase(), expected) ? 'untimed' : 'wrong';
}

/** Standard Webhooks encodes keys in base64 with the prefix `whsec_`. */
const signingKeyOf = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
