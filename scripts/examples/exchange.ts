import { leavesOf, oddTextsIn } from './odd-texts.ts';
import { withShortKeys } from './stable.ts';

/** A request to an operation and its answer. Bodies that are neither JSON nor CSV are left out. */
export interface Exchange {
  operationId: string;
  status: number;
  request?: unknown;
  /** The content type of an answer that is a text. Absent: JSON. */
  type?: string;
  answer?: unknown;
}

export const MAX_BYTES = 2_500;
const MAX_TEXT = 300;
/** More fields than these make an example longer, not clearer. */
const MAX_FIELDS = 20;
const CHARS_PER_FIELD = 100;
const ODD_COST = 5;
/** Texts of people and programs, not those that tests send to see them refused. */
const PLAIN = /^[\p{L}\p{N}\s.,:;!?'"()/@#%&*+=>_{}[\]|$~^-]*$/u;
/** The Message-ID of an e-mail. */
const MESSAGE_ID = /^<[\w.-]{1,100}@[\w.-]{1,100}>$/;
/** What tests call what they need for a fault or a bound. */
const ODD_WORDS = /passwd|broken|gone|redacted|hidden|pass-of|\[bad|127\.0\.0\.2|10\.0\.0\.1/;

/** Returns how much an exchange shows to a reader, by the fields with a value; 0 if it is too long or odd. */
export function scoreOf({ request, answer, status }: Exchange): number {
  if (status < 200 || status > 299 || oddTextsIn({ request, answer }).length > 0) return 0;
  const text = JSON.stringify([request, answer]);
  const leaves = [...leavesOf(request, 'request'), ...leavesOf(answer, 'answer')];
  if (text.length > MAX_BYTES || leaves.some(([, value]) => typeof value === 'string' && !isPlain(value))) return 0;
  const filled = new Set(leaves.filter(([, value]) => value !== null && value !== '').map(([path]) => path));
  const odd = leaves.filter(([, value]) => typeof value === 'string' && (value.length === 1 || ODD_WORDS.test(value)));
  const cost = text.length / CHARS_PER_FIELD + ODD_COST * (odd.length + (text.match(/"redacted":true/g) ?? []).length);
  return Math.max(1, 1_000 + Math.min(filled.size, MAX_FIELDS) - cost);
}

function isPlain(given: string): boolean {
  if (MESSAGE_ID.test(given)) return true;
  const text = withShortKeys(given);
  return text.length <= MAX_TEXT && PLAIN.test(text) && !/(.)\1{9}/.test(text);
}
