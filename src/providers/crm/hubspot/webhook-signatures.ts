import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../constant-time.ts';

/** The largest accepted difference between a request's time and ours, in either direction. */
const MAX_CLOCK_SKEW_MS = 300_000;
const MILLISECONDS = /^\d{1,16}$/;
/** The escapes decoded by HubSpot in a URI before signing. All others stay unchanged. */
const DECODED = /%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/** A webhook request of HubSpot, with the exact bytes of the signed body. */
export interface SignedRequest {
  method: string;
  /** The public URL of the request. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Returns X-HubSpot-Signature-V3 of a request at a time, signed with the app's client secret. */
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

/** Returns X-HubSpot-Signature of version 1. It covers neither the time nor the URL. */
export const hubspotSignatureV1 = (secret: string, body: Buffer): string =>
  createHash('sha256').update(secret).update(body).digest('hex');

/** Whether a request has a version 3 signature by the secret, for this URL, within five minutes of `nowMs`. */
export function isSignedV3(secret: string, call: SignedRequest, nowMs: number): boolean {
  const signature = textOf(call.headers['x-hubspot-signature-v3']);
  const timestamp = textOf(call.headers['x-hubspot-request-timestamp']);
  if (!MILLISECONDS.test(timestamp) || Math.abs(nowMs - Number(timestamp)) > MAX_CLOCK_SKEW_MS) return false;
  return isSameSecret(signature, hubspotSignatureV3(secret, call, timestamp));
}

/**
 * Whether a request has a valid signature of version 3 or, without one of that version, of version 1. A version 1
 * signature can be replayed by anyone with a copy, so it is sufficient only at a secret URL.
 */
export function isSigned(secret: string, call: SignedRequest, nowMs: number): boolean {
  if (call.headers['x-hubspot-signature-v3'] !== undefined) return isSignedV3(secret, call, nowMs);
  return isSameSecret(textOf(call.headers['x-hubspot-signature']), hubspotSignatureV1(secret, call.body));
}

const textOf = (header: string | string[] | undefined): string => (Array.isArray(header) ? header[0] : header) ?? '';
