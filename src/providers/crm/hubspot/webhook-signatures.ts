import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../constant-time.ts';

/** How far a request's time may be from ours, either way. */
const MAX_CLOCK_SKEW_MS = 300_000;
const MILLISECONDS = /^\d{1,16}$/;
/** What HubSpot decodes in a URI before it signs; every other escape stays as it is. */
const DECODED = /%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/** A call of HubSpot's, its body in the very bytes that were signed. */
export interface SignedRequest {
  method: string;
  /** The public address that was called. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** X-HubSpot-Signature-V3 of a call at a time, made with the app's client secret. */
export const hubspotSignatureV3 = (
  secret: string,
  { method, url, body }: Omit<SignedRequest, 'headers'>,
  timestamp: string,
): string =>
  createHmac('sha256', secret)
    .update(method + url.replace(DECODED, decodeURIComponent))
    .update(body)
    .update(timestamp)
    .digest('base64');

/** X-HubSpot-Signature of version 1, which says nothing of when and where. */
export const hubspotSignatureV1 = (secret: string, body: Buffer): string =>
  createHash('sha256').update(secret).update(body).digest('hex');

/** Whether a call bears a signature of version 3 that was made with the secret, for this address, within five minutes of `nowMs`. */
export function isSignedV3(secret: string, call: SignedRequest, nowMs: number): boolean {
  const signature = textOf(call.headers['x-hubspot-signature-v3']);
  const timestamp = textOf(call.headers['x-hubspot-request-timestamp']);
  if (!MILLISECONDS.test(timestamp) || Math.abs(nowMs - Number(timestamp)) > MAX_CLOCK_SKEW_MS) return false;
  return isSameSecret(signature, hubspotSignatureV3(secret, call, timestamp));
}

/**
 * Whether a call bears a good signature of version 3 or, where it bears none of that version, of version 1. The latter can be used again by
 * whoever saw it: enough only at an address that is itself a secret.
 */
export function isSigned(secret: string, call: SignedRequest, nowMs: number): boolean {
  if (call.headers['x-hubspot-signature-v3'] !== undefined) return isSignedV3(secret, call, nowMs);
  return isSameSecret(textOf(call.headers['x-hubspot-signature']), hubspotSignatureV1(secret, call.body));
}

const textOf = (header: string | string[] | undefined): string => (Array.isArray(header) ? header[0] : header) ?? '';
