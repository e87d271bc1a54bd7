import type { Db } from '../../db/connect.ts';
import { conflict, DomainError, type Issue, invalid, ProviderError, unprocessable } from '../../errors.ts';
import { idOf, newId } from '../../ids.ts';
import { EgressError, type EgressResponse } from '../../providers/egress/egress.ts';
import { retryAfterOf } from '../../providers/egress/provider-responses.ts';
import { headersOf, parsedBodyOf } from '../../providers/egress/response-content.ts';
import { hasOriginOf, originOf } from '../../text/urls.rules.ts';
import { onlyReads } from '../definitions/effects.rules.ts';
import type { Operation } from '../definitions/operations.rules.ts';
import { withoutReferences } from '../definitions/resolved-operations.rules.ts';
import { getAction, type StoredAction } from '../definitions/service.ts';
import { callTool, isTool } from '../mcp/tool-calls.ts';
import { NO_OVERRIDES } from '../overrides/rules.ts';
import { getOverrides, getSuppliedNames, type OverrideSubject } from '../overrides/service.ts';
import { requestsOf } from './connections.ts';
import type { CallDeps } from './deps.ts';
import { issuesOf } from './parameter-schemas.ts';
import { deleteCall, deleteCallOfEarlierDay, type StoredAnswer, startCall, storeAnswer } from './queries.ts';
import { issuesOfGiven, requestOf } from './requests.rules.ts';
import type { ActionParameters, TestAction } from './schema.ts';

export { deleteUnanswered, type StoredAnswer } from './queries.ts';

const TIMEOUT_MS = 60_000;
/** Longer answers are refused instead of being read to the end. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** The part of an answer's body shown in a test, and the part stored with a run. */
const MAX_SHOWN_BYTES = 64 * 1024;
const MAX_STORED_BYTES = 256 * 1024;
const MAX_SHOWN_ORIGIN = 300;

/** What of an action is called. */
type CalledAction = Operation & Pick<StoredAction, 'id' | 'connection' | 'held' | 'read_only'>;

interface ActionCall extends OverrideSubject {
  parameters: ActionParameters;
  /** When the call was proposed. A definition that was accepted later is another one. */
  proposedAt?: Date | undefined;
}

/** An answer. `mayHaveActed`: something may have happened although its status refuses it, such as before a redirect. */
type ActionAnswer = EgressResponse & { mayHaveActed: boolean };

interface KeyedCall extends ActionCall {
  dedupeKey: string;
  timeoutMs?: number;
  /** The origins that credentials in the parameters were given for. Absent: there are none. */
  credentialOrigins?: string[] | undefined;
}

/** What the test of an action shows. */
interface TestAnswer extends StoredAnswer {
  headers: Record<string, string>;
  duration_ms: number;
}

/**
 * Calls an action for a test and returns the answer, with any status. For requests of a day with the same key it calls at
 * most once, unless it is a GET: repeated ones get the answer of the first. Throws notFound, invalid for parameters unknown
 * to the operation, and unprocessable if no answer arrives, or the first call may have been done without one.
 */
export async function testAction(
  deps: CallDeps,
  orgId: string,
  id: string,
  { parameters, contact_id, requestKey }: TestAction & { requestKey: string | null },
): Promise<TestAnswer> {
  const action = await getAction(deps.db, orgId, id);
  const request = await prepareRequest(deps, orgId, action, { parameters, contactId: contact_id });
  try {
    return requestKey === null || onlyReads(action)
      ? await sendTest(request, newId())
      : await testOnce(deps, orgId, { request, dedupeKey: idOf('test', orgId, requestKey) });
  } catch (error) {
    throw error instanceof EgressError ? unprocessable(error.message) : error;
  }
}

async function testOnce(
  { db }: CallDeps,
  orgId: string,
  { request, dedupeKey }: { request: PreparedRequest; dedupeKey: string },
): Promise<TestAnswer> {
  await deleteCallOfEarlierDay(db, orgId, dedupeKey);
  const before = await startCall<TestAnswer>(db, orgId, dedupeKey);
  if (before?.answer) return before.answer;
  if (before !== undefined)
    throw unprocessable(
      'The request with this Idempotency-Key has called the action, and its answer was not seen. It may have been done: send a new key to call again',
    );
  try {
    const answer = await sendTest(request, dedupeKey);
    await storeAnswer(db, orgId, dedupeKey, answer);
    return answer;
  } catch (error) {
    const isUnsent = error instanceof DomainError || (error instanceof EgressError && !error.mayHaveArrived);
    if (isUnsent) await deleteCall(db, orgId, dedupeKey);
    throw error;
  }
}

async function sendTest(request: PreparedRequest, dedupeKey: string): Promise<TestAnswer> {
  const began = performance.now();
  const answer = await request.send(dedupeKey);
  return {
    status: answer.status,
    headers: headersOf(answer),
    body: parsedBodyOf(answer, MAX_SHOWN_BYTES),
    duration_ms: Math.round(performance.now() - began),
  };
}

/**
 * Calls an action. A GET may be repeated: it throws a transient ProviderError for 429 and 5xx, and an error if no
 * answer arrives. Any other method is called at most once per key: its answer is returned with any status, and a retry
 * returns the stored answer of the first call. If the first call's answer was never seen, it throws a permanent error.
 * Also throws notFound, and invalid for parameters with credentials that were given for other origins.
 */
export async function callAction(
  deps: CallDeps,
  orgId: string,
  id: string,
  { dedupeKey, timeoutMs, credentialOrigins, ...call }: KeyedCall,
): Promise<StoredAnswer> {
  const action = await getAction(deps.db, orgId, id);
  if (credentialOrigins !== undefined) assertOrigin(action, credentialOrigins);
  const request = await prepareRequest(deps, orgId, action, call);
  if (!onlyReads(action)) return callOnce(deps, orgId, { request, dedupeKey, timeoutMs });
  const answer = await request.send(dedupeKey, timeoutMs);
  if (answer.status === 429 || answer.status >= 500)
    throw new ProviderError(`${new URL(answer.url).host} answered ${answer.status}`, {
      transient: true,
      retryAfterMs: retryAfterOf(answer.headers['retry-after']),
    });
  return toStoredAnswer(answer);
}

function assertOrigin({ api_endpoint }: Operation, credentialOrigins: string[]): void {
  if (hasOriginOf(api_endpoint, credentialOrigins)) return;
  const origin = originOf(api_endpoint).slice(0, MAX_SHOWN_ORIGIN);
  throw invalid(
    `The credentials of the step are not kept for ${origin}, where its action is now: send them again with a new version of the workflow`,
  );
}

/** An answer with any status, or none. `mayHaveArrived` is false only if certainly nothing was received. */
export type SentAction =
  | { kind: 'answered'; status: number; body: unknown; mayHaveActed: boolean }
  | { kind: 'lost'; mayHaveArrived: boolean; isTransient: boolean; message: string };

/**
 * Sends an action's request once. The caller keeps the record of the call and its key. Throws invalid for parameters that
 * cannot be sent.
 */
export async function sendAction(
  deps: CallDeps,
  orgId: string,
  operation: CalledAction,
  { key, timeoutMs, ...call }: ActionCall & { key: string; timeoutMs: number },
): Promise<SentAction> {
  const request = await prepareRequest(deps, orgId, operation, call);
  try {
    const answer = await request.send(key, timeoutMs);
    const { status, mayHaveActed } = answer;
    return { kind: 'answered', status, body: parsedBodyOf(answer, MAX_SHOWN_BYTES), mayHaveActed };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const { mayHaveArrived, transient: isTransient, message } = error;
    return { kind: 'lost', mayHaveArrived, isTransient, message };
  }
}

/** Returns the problems of parameters with the schemas of an operation. Values that overrides may add can be missing. */
export async function checkParameters(
  db: Db,
  orgId: string,
  operation: Operation & Pick<StoredAction, 'connection'>,
  { parameters, ...subject }: ActionCall,
): Promise<Issue[]> {
  return issuesOfGiven(
    withoutReferences(operation),
    parameters,
    isTool(operation)
      ? () => false
      : await getSuppliedNames(db, orgId, { ...subject, endpoint: operation.api_endpoint }),
    issuesOf,
  );
}

async function callOnce(
  deps: CallDeps,
  orgId: string,
  { request, dedupeKey, timeoutMs }: { request: PreparedRequest; dedupeKey: string; timeoutMs: number | undefined },
): Promise<StoredAnswer> {
  const before = await startCall(deps.db, orgId, dedupeKey);
  if (before?.answer) return before.answer;
  try {
    if (before !== undefined) throw unknownOutcome('An earlier try ended before its answer was seen');
    const answer = toStoredAnswer(await request.send(dedupeKey, timeoutMs));
    await storeAnswer(deps.db, orgId, dedupeKey, answer);
    return answer;
  } catch (error) {
    if (before !== undefined) throw error;
    if (error instanceof DomainError) await deleteCall(deps.db, orgId, dedupeKey); // it was refused here, before it was sent
    if (!(error instanceof ProviderError)) throw error;
    if (error instanceof EgressError && error.mayHaveArrived) throw unknownOutcome(error.message);
    await deleteCall(deps.db, orgId, dedupeKey); // so that a repeated step calls again
    throw error;
  }
}

const unknownOutcome = (message: string) =>
  new ProviderError(`${message}. It may have been done, so it is not tried again by itself`, { transient: false });

/** A request that can be sent. Its failures are EgressErrors. */
interface PreparedRequest {
  send(key: string, timeoutMs?: number): Promise<ActionAnswer>;
}

async function prepareRequest(
  deps: CallDeps,
  orgId: string,
  action: CalledAction,
  { parameters, proposedAt, ...subject }: ActionCall,
): Promise<PreparedRequest> {
  const { db, secrets } = deps;
  if (action.held) throw conflict('The action is held: a person has to accept its definition first (GET /actions/mcp)');
  // A server gets its own headers alone, and never those of a customer.
  const overrides = isTool(action)
    ? { own: NO_OVERRIDES, visitor: NO_OVERRIDES }
    : await getOverrides(db, secrets, orgId, { ...subject, endpoint: action.api_endpoint });
  const prepared = requestOf(withoutReferences(action), parameters, overrides, issuesOf);
  if ('issues' in prepared) {
    const issues = prepared.issues.map(({ path, message }) => ({ path: `body.parameters.${path}`, message }));
    const summary = prepared.issues.map(({ path, message }) => `parameters.${path}: ${message}`).join('; ');
    throw invalid(`The action cannot be called with these arguments: ${summary.slice(0, 500)}`, issues);
  }
  const { url, headers, body } = prepared.request;
  if (isTool(action)) {
    const given = body === undefined ? {} : JSON.parse(body.toString());
    return {
      send: (key, timeoutMs = TIMEOUT_MS) =>
        callTool(deps, orgId, action.id, { arguments: given, key, timeoutMs, proposedAt }),
    };
  }
  const requests = await requestsOf(deps, orgId, action);
  return {
    async send(key, timeoutMs = TIMEOUT_MS) {
      const answer = await requests.request(url, {
        method: action.request_type,
        headers: { ...headers, 'idempotency-key': key },
        ...(body === undefined ? {} : { body }),
        timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
      });
      return { ...answer, mayHaveActed: answer.url !== new URL(url).href };
    },
  };
}

const toStoredAnswer = (answer: EgressResponse): StoredAnswer => ({
  status: answer.status,
  body: parsedBodyOf(answer, MAX_STORED_BYTES),
});
