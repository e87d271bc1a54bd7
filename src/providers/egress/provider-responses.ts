import { ProviderError } from '../../errors.ts';
import type { SendOutcome } from '../sending.ts';
import { storable, storableJson } from '../storable.rules.ts';
import { EgressError, type EgressResponse } from './egress.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const MAX_REASON_LENGTH = 500;
/** A longer delay is a mistake or an attack, and another request costs nothing. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Returns the outcome of a send without a response. It is retried only if the request certainly did not arrive. */
export function outcomeWithoutResponse(error: unknown): SendOutcome {
  const reason = error instanceof Error ? error.message : String(error);
  if (!(error instanceof EgressError) || error.mayHaveArrived) return { kind: 'unknown', reason };
  if (error.transient) return { kind: 'retry', scope: 'provider', reason };
  return { kind: 'rejected', because: 'config', reason };
}

/**
 * Returns the outcome of an unsuccessful response by its status alone, or undefined for a refusal (4xx) explained by
 * the provider. Any other status proves nothing, a 5xx least of all, unless it has a Retry-After.
 */
export function outcomeOfStatus({ status, headers }: EgressResponse, reason: string): SendOutcome | undefined {
  const retryAfterMs = retryAfterOf(headers['retry-after']);
  if (status === 429 || (status === 503 && retryAfterMs !== undefined))
    return { kind: 'retry', scope: 'provider', reason, retryAfterMs };
  const isRefusal = status >= 400 && status < 500 && status !== 408;
  return isRefusal ? undefined : { kind: 'unknown', reason };
}

/** Returns the failure of a lookup without an answer. */
export function requestFailure({ status, headers }: EgressResponse, reason: string): ProviderError {
  const transient = status === 429 || status >= 500;
  return new ProviderError(reason, { transient, retryAfterMs: retryAfterOf(headers['retry-after']) });
}

/**
 * Returns a provider's words in at most 500 characters storable in any column, without the secrets sent with the
 * request.
 */
export function reasonFrom(text: string, secrets: string[]): string {
  const bare = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return storable(bare.replaceAll('\0', '').slice(0, MAX_REASON_LENGTH));
}

/** Parses a response's JSON, storable in any column. Returns undefined for anything but JSON, and for too deep nesting. */
export function storableJsonOf({ body }: EgressResponse): Json | undefined {
  try {
    return storableJson(JSON.parse(body)) as Json;
  } catch {
    return undefined;
  }
}

/** Parses a response's JSON. Returns undefined for anything but JSON. */
export function jsonOf({ body }: EgressResponse): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Parses seconds or a date (RFC 9110, 10.2.3) into milliseconds. Returns undefined for anything else. */
export function retryAfterOf(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : / GMT$/.test(value) ? Date.parse(value) - Date.now() : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}
