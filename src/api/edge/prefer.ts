import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

const DEFAULT_WAIT_MS = 15_000;
const MAX_WAIT_MS = 25_000;
const MAX_HEADER_LENGTH = 1_000;
const APPLIED = 'preference-applied';

/**
 * Returns what a client prefers by the header `Prefer` (RFC 7240), in lower case: the value of the preference's first
 * mention, '' if it has none, undefined if it is not mentioned.
 */
export function preferenceOf({ prefer = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const mentioned = String(prefer).slice(0, MAX_HEADER_LENGTH).toLowerCase().split(',').map(nameAndValue);
  return mentioned.find(([mention]) => mention === name)?.[1];
}

/** Reads `name`, `name=value` or `name="value"`. Parameters after a semicolon are of no preference here. */
function nameAndValue(preference: string): [string, string] {
  const [token = ''] = preference.split(';', 1);
  const [name = '', value = ''] = token.split('=', 2);
  return [name.trim(), value.replaceAll('"', '').trim()];
}

/** Names a preference as one that the answer follows. */
export function confirmPreference(reply: Pick<FastifyReply, 'getHeader' | 'header'>, preference: string): void {
  const others = String(reply.getHeader(APPLIED) ?? '');
  if (others.split(', ').includes(preference)) return;
  reply.header(APPLIED, others === '' ? preference : `${others}, ${preference}`);
}

/**
 * Returns how long a request waits for what follows from it (a contact's message for the AI's answer), in
 * milliseconds: as the client prefers by `Prefer: wait=<seconds>` (RFC 7240, section 4.3), at most 25 s. Without the
 * preference 15 s, but at most `maxWaitMs`.
 */
export function waitMsOf(headers: IncomingHttpHeaders, maxWaitMs: number): number {
  const wait = preferenceOf(headers, 'wait') ?? '';
  const seconds = Number(wait);
  const isGiven = wait !== '' && Number.isInteger(seconds) && seconds >= 0;
  return isGiven ? Math.min(seconds * 1_000, MAX_WAIT_MS) : Math.min(DEFAULT_WAIT_MS, maxWaitMs);
}
