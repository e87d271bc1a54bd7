import type { IncomingHttpHeaders } from 'node:http';

const DEFAULT_WAIT_MS = 15_000;
const MAX_WAIT_MS = 25_000;
const MAX_HEADER_LENGTH = 1_000;
const WAIT = /(?:^|,)\s*wait\s*=\s*"?(\d{1,4})"?\s*(?=,|;|$)/i;

/**
 * Returns how long a request waits for what follows from it (a contact's message for the AI's answer), in
 * milliseconds: as the client prefers by `Prefer: wait=<seconds>` (RFC 7240, section 4.3), at most 25 s. Without the
 * preference 15 s, but at most `maxWaitMs`.
 */
export function waitMsOf(headers: IncomingHttpHeaders, maxWaitMs: number): number {
  const seconds = WAIT.exec(String(headers.prefer ?? '').slice(0, MAX_HEADER_LENGTH))?.[1];
  return seconds === undefined ? Math.min(DEFAULT_WAIT_MS, maxWaitMs) : Math.min(Number(seconds) * 1_000, MAX_WAIT_MS);
}
