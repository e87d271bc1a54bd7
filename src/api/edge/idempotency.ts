import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Trx } from '../../db/connect.ts';
import { tryLockName } from '../../db/locks.ts';
import { inSavepoint, inTransaction } from '../../db/transaction.ts';
import { DomainError, invalid, tooLarge } from '../../errors.ts';
import type { Deps } from '../deps.ts';
import { answerTo } from './errors.ts';
import {
  findResponse,
  hashOf,
  insertResponse,
  type KeyedRequest,
  lockOfKey,
  principalOf,
  type StorableResponse,
  type StoredResponse,
  updateResponse,
} from './stored-answers.ts';

/** No operation has such a long answer for what it does. The effect is undone. */
const MAX_STORED_CHARACTERS = 1_000_000;

/** Takes what undoes a preparation. */
export type IfRefused = (undo: () => Promise<void>) => void;

/** The stages of one request, as once.ts describes them. */
interface RequestStages<Prepared, Answer, Acted extends { answer: Answer }> {
  prepare(ifRefused: IfRefused): Promise<Prepared>;
  act(prepared: Prepared): Promise<Acted>;
  complete?: ((acted: Acted) => Promise<Answer>) | undefined;
  redact?: Redaction<Answer>;
}

/** What of an answer goes with a redaction of its session. */
type Redaction<Answer> = { sessionOf(answer: Answer): string | null; withoutTexts(answer: Answer): Answer } | undefined;

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers a request by its stages, or with the stored answer of its Idempotency-Key. */
    answerOnce<Prepared, Answer, Acted extends { answer: Answer }>(
      request: FastifyRequest,
      reply: FastifyReply,
      stages: RequestStages<Prepared, Answer, Acted>,
    ): Promise<Answer>;
  }
}

/**
 * Supports `Idempotency-Key` on any authenticated POST (draft-ietf-httpapi-idempotency-key-header).
 * What is done and the insert of its answer share one transaction: a crash leaves both or neither. Handlers must return
 * their answer. Routes by `once` have stages before and after that.
 */
export const idempotency = fastifyPlugin(async (app: FastifyInstance, { secrets }: Deps) => {
  const running = new Set<string>();
  /** Refuses a concurrent request of this process. Across processes, the transaction's lock decides. */
  const alone = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    if (running.has(name)) throw stillRunning();
    running.add(name);
    try {
      return await work();
    } finally {
      running.delete(name);
    }
  };

  app.decorate('answerOnce', async (request, reply, stages) => {
    const key = isAnswerStored(request.routeOptions) ? idempotencyKeyOf(request) : undefined;
    if (key === undefined) {
      const { acted } = await undoRefused(request, async (ifRefused) => ({
        acted: await stages.act(await stages.prepare(ifRefused)),
      }));
      return stages.complete === undefined ? acted.answer : stages.complete(acted);
    }
    return alone(`${principalOf(request)} ${key}`, async () => {
      const keyed = { secrets, request, reply, key };
      const kept = await findResponse(request.db, keyed);
      const handled = kept === undefined ? await runStages(keyed, stages) : { isReplay: true, response: kept };
      return sendStored(reply, handled) as never; // Fastify sends a text as it is
    });
  });

  app.addHook('onRoute', (route) => {
    const { method, config, handler } = route;
    if (method !== 'POST' || config?.scope === 'public' || config?.isInStages === true) return;
    route.handler = function (request, reply) {
      return request.server.answerOnce(request, reply, {
        prepare: async () => undefined,
        act: async () => ({ answer: await handler.call(this, request, reply) }),
      });
    };
  });
});

/** Returns whether the route takes an Idempotency-Key: a POST that changes something each time, for a key's owner. */
export const isAnswerStored = ({ method, config }: Pick<RouteOptions, 'method' | 'config'>): boolean =>
  method === 'POST' && config?.scope !== 'public' && config?.scope?.endsWith(':read') !== true && !config?.isRepeatable;

/**
 * Identifies a request by its Idempotency-Key and content, for effects that must not be repeated after a crash. Returns
 * null without a key.
 */
export function requestKeyOf(request: FastifyRequest): string | null {
  const key = idempotencyKeyOf(request);
  return key === undefined ? null : `${key} ${hashOf(request).toString('base64url')}`;
}

const stillRunning = () =>
  new DomainError(
    'conflict',
    'A request with this Idempotency-Key is still running: try again when it has ended',
    undefined,
    { code: 'request_in_progress' },
  );

function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
    throw invalid('Idempotency-Key must have 1 to 255 characters');
  }
  return key;
}

interface Handled {
  isReplay: boolean;
  response: StoredResponse;
}

function sendStored(reply: FastifyReply, { isReplay, response: { statusCode, body } }: Handled): string {
  reply.code(statusCode);
  if (isReplay) reply.header('idempotent-replayed', 'true');
  if (body !== '') reply.type('application/json; charset=utf-8');
  return body;
}

/** Runs stages with a key up to the answer. A refusal is an answer too. */
async function runStages<Prepared, Answer, Acted extends { answer: Answer }>(
  keyed: KeyedRequest,
  stages: RequestStages<Prepared, Answer, Acted>,
): Promise<Handled> {
  const handled = await undoRefused(keyed.request, async (ifRefused) => {
    const prepared = await stages.prepare(ifRefused);
    return actOnce(keyed, () => stages.act(prepared), stages.redact);
  });
  return handled.acted === undefined || stages.complete === undefined
    ? handled
    : completeStored(keyed, handled.response, await stages.complete(handled.acted), stages.redact);
}

/** Does work whose preparation is undone if it fails, or if nothing is acted. */
async function undoRefused<Result extends { acted?: unknown }>(
  { log }: FastifyRequest,
  work: (ifRefused: IfRefused) => Promise<Result>,
): Promise<Result> {
  const undos: (() => Promise<void>)[] = [];
  let isDone = false;
  try {
    const result = await work((undo) => undos.push(undo));
    isDone = result.acted !== undefined;
    return result;
  } finally {
    if (!isDone)
      for (const undo of undos)
        await undo().catch((error: unknown) => log.warn({ err: error }, 'a preparation could not be undone'));
  }
}

/** Acts and stores the answer in one transaction, unless another process has. `acted` is absent after a refusal. */
function actOnce<Answer, Acted extends { answer: Answer }>(
  keyed: KeyedRequest,
  act: () => Promise<Acted>,
  redact: Redaction<Answer>,
): Promise<Handled & { acted?: Acted }> {
  const { request, key } = keyed;
  return inTransaction(request.db, async (trx) => {
    if (!(await tryLockName(trx, lockOfKey(principalOf(request), key)))) throw stillRunning();
    const kept = await findResponse(trx, keyed);
    if (kept !== undefined) return { isReplay: true, response: kept };

    const handled = await actInSavepoint(trx, keyed, act, redact);
    await insertResponse(trx, keyed, handled.response);
    return handled;
  });
}

/** Acts. A refusal undoes the writes and is the answer. A temporary failure undoes everything. */
async function actInSavepoint<Answer, Acted extends { answer: Answer }>(
  trx: Trx,
  { request, reply }: KeyedRequest,
  act: () => Promise<Acted>,
  redact: Redaction<Answer>,
) {
  const outer = request.db;
  try {
    return await inSavepoint(trx, async () => {
      request.db = trx;
      const acted = await act();
      const response = responseOf(reply, acted.answer, redact);
      if (response.body.length > MAX_STORED_CHARACTERS)
        throw tooLarge('The answer is too long to be stored for the Idempotency-Key: send the request in parts');
      return { isReplay: false, response, acted };
    });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
    const answer = answerTo(error);
    const body = JSON.stringify(answer);
    return {
      isReplay: false,
      response: { statusCode: answer.statusCode, body, bodyWithoutTexts: body, sessionId: null },
    };
  } finally {
    request.db = outer;
  }
}

/** Stores a completed answer as the one that repeated requests get. */
async function completeStored<Answer>(
  keyed: KeyedRequest,
  stored: StoredResponse,
  completed: Answer,
  redact: Redaction<Answer>,
): Promise<Handled> {
  const response = responseOf(keyed.reply, completed, redact);
  if (response.body === stored.body || response.body.length > MAX_STORED_CHARACTERS)
    return { isReplay: false, response: stored };
  await updateResponse(keyed, response);
  return { isReplay: false, response };
}

/** Returns an answer as it is sent, and as it is once the texts of its session are redacted. */
function responseOf<Answer>(reply: FastifyReply, answer: Answer, redact: Redaction<Answer>): StorableResponse {
  const serialize = (value: Answer) => (value === '' || value === undefined ? '' : String(reply.serialize(value)));
  const body = serialize(answer);
  const sessionId = redact?.sessionOf(answer) ?? null;
  const bodyWithoutTexts = redact === undefined || sessionId === null ? body : serialize(redact.withoutTexts(answer));
  return { statusCode: reply.statusCode, body, bodyWithoutTexts, sessionId };
}
