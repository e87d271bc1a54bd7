import { memberOf } from '../../collections/records.ts';
import type { EgressResponse } from '../../providers/egress/egress.ts';
import type { SendOutcome } from '../../providers/sending.ts';
import { storable } from '../../providers/storable.rules.ts';
import type { ConnectionKind } from './schema.ts';

/** How a call to a connection's provider ended. */
export type CallResult = { isSuccess: true } | { isSuccess: false; error: string };

/** What the calls of one connection have shown since the last record. Times are their starts, in milliseconds. */
export interface CallSummary {
  succeededAt: number | null;
  failedAt: number | null;
  error: string | null;
  /** The first failure after the last success. Null if the last call succeeded. */
  failingSince: number | null;
}

const MAX_ERROR_LENGTH = 300;
const SUCCESS: CallResult = { isSuccess: true };
/** Statuses that no other request would have avoided. */
const FAILURES = new Set([401, 402, 403, 407, 408, 423, 425, 429, 477]);
/** Statuses about one object. */
const ABOUT_OBJECTS = new Set([404, 405, 409, 410, 501]);
/** A provider's words about a passing failure tell nothing beyond the status. */
const PASSING = new Set([408, 423, 425, 429, 477]);
/** Looks like a signed token (RFC 7519). */
const SIGNED_TOKEN = /(?<![\w-])[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g;

const PROVIDER_NAMES: Record<ConnectionKind, string> = {
  email: 'The mail server',
  sms: 'Twilio',
  whatsapp: 'Meta',
  messenger: 'Meta',
  instagram: 'Meta',
  slack: 'Slack',
  voice: 'Vapi',
  crm: 'HubSpot',
  miaw: 'Salesforce',
  llm: 'The AI provider',
  fareharbor: 'FareHarbor',
  mcp: 'The MCP server',
};

/**
 * Returns what a response says about the connection, or undefined if it only says something about one object: a look-up
 * may find nothing, and FareHarbor refuses a booking of a full tour. A model is part of the connection.
 */
export function resultOfResponse(
  kind: ConnectionKind,
  method: string,
  { status, body }: Pick<EgressResponse, 'status' | 'body'>,
): CallResult | undefined {
  if (status < 400) return SUCCESS;
  const isAboutObject = ABOUT_OBJECTS.has(status) && kind !== 'llm';
  const isAboutRequest = status < 500 && !FAILURES.has(status) && (method === 'GET' || kind === 'fareharbor');
  if (isAboutObject || isAboutRequest) return undefined;
  const said = status >= 500 || PASSING.has(status) ? undefined : explanationIn(body);
  const because = said === undefined ? '' : `: ${said}`;
  return { isSuccess: false, error: `${PROVIDER_NAMES[kind]} answered ${status}${because}` };
}

/** Returns what the outcome of a send says about the connection. A refused recipient says that the rest works. */
export function resultOfSend(outcome: SendOutcome): CallResult {
  switch (outcome.kind) {
    case 'accepted':
      return SUCCESS;
    case 'rejected':
      return outcome.because === 'config' ? { isSuccess: false, error: outcome.reason } : SUCCESS;
    case 'retry':
      return outcome.scope === 'provider' ? { isSuccess: false, error: outcome.reason } : SUCCESS;
    case 'unknown':
      return { isSuccess: false, error: outcome.reason };
  }
}

/** Adds a call to the summary of earlier ones. */
export function addCall(summary: CallSummary | undefined, result: CallResult, at: number): CallSummary {
  const before = summary ?? { succeededAt: null, failedAt: null, error: null, failingSince: null };
  if (result.isSuccess) return { ...before, succeededAt: at, failingSince: null };
  return { ...before, failedAt: at, error: errorText(result.error), failingSince: before.failingSince ?? at };
}

/** Returns an error in a length and form that every column stores, without anything that looks like a signed token. */
const errorText = (error: string): string =>
  storable(error.replaceAll('\0', '').replace(SIGNED_TOKEN, '***').slice(0, MAX_ERROR_LENGTH));

/** Returns the words of a JSON answer at `message`, `error` or `error.message`. */
function explanationIn(body: string): string | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return undefined;
  }
  const error = memberOf(answer, 'error');
  return [memberOf(answer, 'message'), memberOf(error, 'message'), error].find((text) => typeof text === 'string');
}
