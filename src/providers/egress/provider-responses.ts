import { ProviderError } from '../../errors.ts';
import type { SendOutcome } from '../sending.ts';
import { storable } from '../storable.rules.ts';
import { EgressError, type EgressResponse } from './egress.ts';

const MAX_REASON_LENGTH = 500;
/** A delay beyond an hour is a mistake or an attack, and asking again costs nothing. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** What a request without an answer says about the message in it. Only one that cannot have arrived goes again. */
export function outcomeWithoutResponse(error: unknown): SendOutcome {
  const reason = error instanceof Error ? error.message : String(error);
  if (!(error instanceof EgressError) || error.mayHaveArrived) return { kind: 'unknown', reason };
  if (error.transient) return { kind: 'retry', scope: 'provider', reason };
  return { kind: 'rejected', because: 'config', reason };
}

/**
 * What an answer that accepts nothing says by its status alone; undefined for a refusal (4xx), which the provider explains.
 * Any other proves nothing, a 5xx least of all, unless it says when to come back.
 */
export function outcomeOfStatus({ status, headers }: EgressResponse, reason: string): SendOutcome | undefined {
  const retryAfterMs = retryAfterOf(headers['retry-after']);
  if (status === 429 || (status === 503 && retryAfterMs !== undefined))
    return { kind: 'retry', scope: 'provider', reason, retryAfterMs };
  const isRefusal = status >= 400 && status < 500 && status !== 408;
  return isRefusal ? undefined : { kind: 'unknown', reason };
}

/** Why a provider that was asked what became of a send could not say. */
export function requestFailure({ status, headers }: EgressResponse, reason: string): ProviderError {
  const transient = status === 429 || status >= 500;
  return new ProviderError(reason, { transient, retryAfterMs: retryAfterOf(headers['retry-after']) });
}

/** What a provider said, in at most 500 characters that any column holds, without the secrets that went out with the request. */
export function reasonFrom(text: string, secrets: string[]): string {
  const bare = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return storable(bare.replaceAll('\0', '').slice(0, MAX_REASON_LENGTH));
}

/** What an answer holds, in texts that any column holds. Undefined where it is no JSON. */
export function storableJsonOf({ body }: EgressResponse): unknown {
  try {
    return JSON.parse(body, (_key, value) => (typeof value === 'string' ? storable(value) : value));
  } catch {
    return undefined;
  }
}

/** Undefined where the answer is no JSON. */
export function jsonOf({ body }: EgressResponse): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** An address below a base that may end in a slash. */
export const urlOf = (base: string, path: string) => `${base.replace(/\/+$/, '')}${path}`;

/** Seconds, or a date (RFC 9110, 10.2.3). Undefined where it is neither. */
export function retryAfterOf(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : / GMT$/.test(value) ? Date.parse(value) - Date.now() : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}
