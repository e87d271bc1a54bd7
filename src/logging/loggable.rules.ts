const MAX_LENGTH = 500;
const MAX_CAUSES = 5;
const MAX_FRAMES = 8;

/** What others say follows a colon, or begins on a line of its own. */
const OTHERS_WORDS = /:\s|[\r\n]/;
const QUOTED = /"[^"]*"|“[^“”]*”|«[^«»]*»|`[^`]*`|(?<!\w)'[^']*'/g;
const UNCLOSED = /["“«`][\s\S]*$/;
const ADDRESS = /[^\s@]{1,256}@\S+/g;
const LONG_NUMBER = /\+?\d[\d ()-]{6,}\d/g;
/** Codes of systems and servers at the beginning of what others say, as in "421 4.7.0" or "HubSpot 400 INVALID". */
const CODES = [
  /^(?:[a-z]+ )?E[A-Z]{3,20}\b(?: [\d.:[\]]{3,50})?/,
  /^(?:[A-Z][a-z]+(?:[A-Z][a-z]+)?(?: answered)? )?\(?#?\d{3,6}\)?(?: \d\.\d{1,3}\.\d{1,3})?(?: [A-Z]+(?:_[A-Z]+)*\b)?/,
  /^[\w.[\]-]+(?::\d{1,5})? (?:answered \d{3}|did not answer|has no address)\b/,
];
const NAME = /^[\w.:/-]{1,100}$/;
const FRAME = /^\s+at /;
const TYPE_IN_STACK = /^([A-Z]\w{0,60})(?=:|\n|$)/;

/** Fields of errors that hold names, codes and states, never texts or values. */
const FIELDS = [
  'code',
  'kind',
  'problem',
  'status',
  'statusCode',
  'transient',
  'nonRetryable',
  'activityType',
  'severity',
  'table',
  'column',
  'constraint',
  'routine',
  'syscall',
  'address',
  'port',
] as const;

/** An error as the log shows it. It holds nothing that a customer or a third party wrote. */
export interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  cause?: LoggedError;
  [field: string]: unknown;
}

/**
 * Returns the part of an error's message that is ours. Messages quote values, and have the words of third parties after
 * a colon: both are replaced by an ellipsis, but for codes. So are e-mail addresses and long numbers.
 */
export function loggableText(text: string): string {
  const bounded = text.slice(0, MAX_LENGTH);
  const end = bounded.search(OTHERS_WORDS);
  if (end === -1) return text.length <= MAX_LENGTH ? withoutValues(bounded) : `${withoutValues(bounded)}…`;
  const theirs = bounded.slice(end).replace(/^:?\s+/, '');
  const code = CODES.map((pattern) => pattern.exec(theirs)?.[0]).find((found) => found !== undefined);
  const shown = code === undefined ? '…' : code === theirs ? code : `${code} …`;
  return `${withoutValues(bounded.slice(0, end))}: ${shown}`;
}

const withoutValues = (text: string): string =>
  text.replace(QUOTED, '…').replace(UNCLOSED, '…').replace(ADDRESS, '…').replace(LONG_NUMBER, '…');

/** Returns an error with its causes for the log. */
export const loggedError = (error: unknown): LoggedError => described(error, MAX_CAUSES);

function described(error: unknown, causes: number): LoggedError {
  if (!isObject(error)) return { type: typeof error, message: loggableText(String(error)) };
  const stack = framesOf(error);
  const cause = causes > 1 ? causeOf(error) : undefined;
  return {
    type: typeOf(error),
    message: messageIn(error),
    ...Object.fromEntries(FIELDS.flatMap((field) => (isName(error[field]) ? [[field, error[field]]] : []))),
    ...(stack !== '' && { stack }),
    ...(cause !== undefined && { cause: described(cause, causes - 1) }),
  };
}

/** An error of Postgres quotes a value only if it refuses this value (class 22) or is raised by a function (P0). */
function messageIn(error: Record<string, unknown>): string {
  const { message, severity, code } = error;
  if (typeof message !== 'string') return '';
  const isOfPostgres = typeof severity === 'string' && typeof code === 'string' && !/^(22|P0)/.test(code);
  return isOfPostgres ? message.slice(0, MAX_LENGTH) : loggableText(message);
}

/** The class of an error is lost on its way between threads, but its stack begins with it. */
function typeOf(error: Record<string, unknown>): string {
  const named = [error.type, error.name === 'Error' ? undefined : error.name].find(isName);
  if (named !== undefined) return String(named);
  return (typeof error.stack === 'string' ? TYPE_IN_STACK.exec(error.stack)?.[1] : undefined) ?? 'Error';
}

/** Returns where the error was thrown. The stack begins with the message, which may have any lines. */
function framesOf({ stack, message }: Record<string, unknown>): string {
  if (typeof stack !== 'string' || typeof message !== 'string') return '';
  const begin = stack.indexOf(message);
  if (begin === -1) return '';
  const lines = stack.slice(begin + message.length).split('\n');
  const frames = lines.filter((line) => FRAME.test(line) && line.length <= MAX_LENGTH);
  return frames.slice(0, MAX_FRAMES).join('\n');
}

const causeOf = ({ cause, errors }: Record<string, unknown>): unknown =>
  cause ?? (Array.isArray(errors) ? errors[0] : undefined);

const isName = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && NAME.test(value));

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
