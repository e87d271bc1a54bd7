import { memberOf } from '../../collections/records.ts';
import { codeOf, messageOf } from '../../errors.ts';
import { EgressError } from '../egress/egress.ts';

/**
 * Errors of the protocol that say that a tool did not run: unknown method, tool or arguments, headers that disagree with
 * the body, a missing capability, an unknown version, and an address to be opened first.
 */
const NOT_DONE = new Set(['-32600', '-32601', '-32602', '-32020', '-32021', '-32022', '-32042']);
const MAX_WORDS = 200;
const MAX_CAUSES = 5;

/** What is known of a request that has failed. */
export interface FailedRequest {
  host: string;
  /** Whether the call of a tool may have left. */
  isCalling: boolean;
}

/**
 * Returns what a failure of the MCP client means. `mayHaveArrived` is false where the tool surely did not run: before the
 * call, and after an answer that refuses it.
 */
export function failureOf(error: unknown, { host, isCalling }: FailedRequest): EgressError {
  const failure = describedFailure(error, host);
  if (isCalling || !failure.mayHaveArrived) return failure;
  const { message, transient, problem } = failure;
  return new EgressError(message, { transient, mayHaveArrived: false, problem, cause: error });
}

function describedFailure(error: unknown, host: string): EgressError {
  const chain = causesOf(error);
  const ofEgress = chain.find((one) => one instanceof EgressError);
  if (ofEgress !== undefined) return ofEgress;
  const status = chain.map((one) => memberOf(memberOf(one, 'data'), 'status')).find((one) => typeof one === 'number');
  if (status !== undefined) return answeredWith(host, status);
  const code = codeOf(error);
  if (nameOf(error) === 'InsufficientScopeError')
    return notDone(host, 'answered 403: its credentials lack a scope', error);
  if (nameOf(error) === 'UnauthorizedError') return notDone(host, 'answered 401: its credentials were refused', error);
  if (memberOf(memberOf(error, 'data'), 'resultType') === 'input_required' || isQuestion(error))
    return notDone(host, 'needs_input: the tool asked a question that nobody here can answer', error);
  if (code === 'LIST_PAGINATION_EXCEEDED')
    return new EgressError(`${host} lists its tools on too many pages`, {
      transient: false,
      mayHaveArrived: true,
      problem: 'too_large',
      cause: error,
    });
  if (code === 'REQUEST_TIMEOUT') return lost(host, 'did not answer in time', error, 'timeout');
  if (code !== undefined && NOT_DONE.has(code)) return notDone(host, `refused the call: ${wordsOf(error)}`, error);
  if (code !== undefined && /^-?\d+$/.test(code))
    return new EgressError(`${host} answered with error ${code}: ${wordsOf(error)}`, {
      transient: false,
      mayHaveArrived: true,
      cause: error,
    });
  return lost(host, `gave an answer that cannot be read: ${wordsOf(error)}`, error);
}

/** Server errors may have done something, and pass. Whatever else refuses the request has done nothing. */
/** A gateway answers with other statuses also for what it has passed on, such as 408 and 499. */
const REFUSALS = new Set([400, 401, 403, 404, 405, 406, 413, 415, 422, 429]);

function answeredWith(host: string, status: number): EgressError {
  const isServerError = status >= 500;
  const mayHaveArrived = !REFUSALS.has(status);
  return new EgressError(`${host} answered ${status}`, { transient: isServerError, mayHaveArrived });
}

const notDone = (host: string, what: string, cause: unknown): EgressError =>
  new EgressError(`${host} ${what}`, { transient: false, mayHaveArrived: false, cause });

const lost = (host: string, what: string, cause: unknown, problem: 'timeout' | 'unreachable' = 'unreachable') =>
  new EgressError(`${host} ${what}`, { transient: true, mayHaveArrived: true, problem, cause });

/** The client's refusal to answer questions by itself. */
const isQuestion = (error: unknown): boolean => /\binput_required\b|autoFulfill/.test(messageOf(error));

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one !== undefined && chain.length < MAX_CAUSES; one = memberOf(one, 'cause')) chain.push(one);
  return chain;
}

const nameOf = (error: unknown): unknown => (error instanceof Error ? error.name : undefined);

/** The server's own words: in one line, and no more than an error needs. */
const wordsOf = (error: unknown): string =>
  messageOf(error)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .slice(0, MAX_WORDS)
    .toWellFormed();
