import type { IncomingHttpHeaders } from 'node:http';

const MAX_HEADER_LENGTH = 1_000;
const WAIT = /(?:^|,)\s*wait\s*=\s*"?(\d{1,4})"?\s*(?=,|;|$)/i;

/**
 * Returns how long a client waits for an answer, in milliseconds, by `Prefer: wait=<seconds>` (RFC 7240, section 4.3).
 * At most `mostMs`; `defaultMs` without the preference.
 */
export function waitMsOf(
  headers: IncomingHttpHeaders,
  { defaultMs, mostMs }: { defaultMs: number; mostMs: number },
): number {
  const seconds = WAIT.exec(String(headers.prefer ?? '').slice(0, MAX_HEADER_LENGTH))?.[1];
  return seconds === undefined ? defaultMs : Math.min(Number(seconds) * 1_000, mostMs);
}
