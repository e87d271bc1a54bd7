import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { tryLockName } from '../../db/locks.ts';
import { inSavepoint, inTransaction } from '../../db/transaction.ts';
import { conflict, DomainError, invalid, tooLarge, unprocessable } from '../../errors.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import type { Secrets } from '../../secrets.ts';
import type { Deps } from '../deps.ts';
import { answerTo } from './errors.ts';

/** Stands for full access among the scopes of a stored answer. */
const FULL_ACCESS = '*';
/** No operation has such a long answer for what it does. The effect is undone. */
const MAX_STORED_CHARACTERS = 1_000_000;

interface StoredResponse {
  statusCode: number;
  body: string;
}

type Handler = (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * Supports `Idempotency-Key` on any authenticated POST (draft-ietf-httpapi-idempotency-key-header).
 * The handler and the insert of its answer share one transaction: a crash leaves both or neither. Handlers must return
 * their answer.
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

  app.addHook('onRoute', (route) => {
    if (route.method !== 'POST' || route.config?.scope === 'public') return;
    const handler = route.handler as Handler;
    const prepare = route.config?.prepare as
      | ((request: FastifyRequest, reply: FastifyReply) => Promise<void>)
      | undefined;
    const receive = route.config?.receive as ((request: FastifyRequest) => Promise<() => Promise<void>>) | undefined;
    const complete = route.config?.complete as
      | ((request: FastifyRequest, answer: object) => Promise<object>)
      | undefined;
    const isStored = isAnswerStored(route);
    const onlyOnce: Handler = async function (request, reply) {
      const handle = () => handler.call(this, request, reply);
      const key = isStored ? idempotencyKeyOf(request) : undefined;
      if (key === undefined) {
        await prepare?.(request, reply);
        const answer = await handle();
        return complete === undefined ? answer : complete(request, answer as object);
      }
      return alone(`${principalOf(request)} ${key}`, async () => {
        const kept = await findResponse(request.db, request, key, secrets);
        if (kept !== undefined) return sendStored(reply, { isReplay: true, answer: kept });
        await prepare?.(request, reply);
        const handled = await handleOnce(secrets, { request, reply, key, handle });
        const isCompleted = complete !== undefined && !handled.isReplay && handled.answer.statusCode < 400;
        return sendStored(reply, isCompleted ? await completed(secrets, { request, key, complete, handled }) : handled);
      });
    };
    const received: Handler = async function (request, reply) {
      const release = await receive?.(request);
      try {
        return await onlyOnce.call(this, request, reply);
      } finally {
        await release?.();
      }
    };
    route.handler = (receive === undefined ? onlyOnce : received) as never;
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
  conflict('A request with this Idempotency-Key is still running: try again when it has ended');

function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
    throw invalid('Idempotency-Key must have 1 to 255 characters');
  }
  return key;
}

interface IdempotentResponse {
  isReplay: boolean;
  answer: StoredResponse;
}

function sendStored(reply: FastifyReply, { isReplay, answer: { statusCode, body } }: IdempotentResponse): string {
  reply.code(statusCode);
  if (isReplay) reply.header('idempotent-replayed', 'true');
  if (body !== '') reply.type('application/json; charset=utf-8');
  return body;
}

const principalOf = ({ org, partner }: FastifyRequest): string => (org ?? partner).id;
const placeOf = (principalId: string, key: string, column: 'answer' | 'full_answer' = 'answer') => ({
  orgId: principalId,
  table: 'idempotency_keys',
  column,
  row: key,
});

const scopesOf = ({ org }: FastifyRequest): string[] => {
  const scopes = (org as OrgPrincipal | undefined)?.scopes;
  return scopes === null ? [FULL_ACCESS] : [...(scopes ?? [])];
};

/** Whether the caller's key has all of these scopes. */
const hasScopes = (request: FastifyRequest, scopes: string[]): boolean => {
  const held = scopesOf(request);
  return held.includes(FULL_ACCESS) || scopes.every((scope) => held.includes(scope));
};

/**
 * Returns the earlier answer for this key. Throws unprocessable if the key was used by a different request, or with an API
 * key that has more scopes than the caller's: the answer may have a secret, and nothing may be done a second time.
 */
async function findResponse(
  db: Db,
  request: FastifyRequest,
  key: string,
  secrets: Secrets,
): Promise<StoredResponse | undefined> {
  const principalId = principalOf(request);
  const stored = await findStored(db, principalId, key);
  if (stored === undefined) return undefined;
  if (!hashOf(request).equals(stored.request_hash)) {
    throw unprocessable('This Idempotency-Key was used with another request: send a new key');
  }
  if (!hasScopes(request, stored.scopes)) {
    throw unprocessable(
      'This Idempotency-Key was used with an API key that has more scopes: repeat the request with such a key',
    );
  }
  const { status_code: statusCode, answer, full_answer } = stored;
  const body =
    full_answer === null
      ? secrets.decrypt(answer, placeOf(principalId, key))
      : secrets.decrypt(full_answer, placeOf(principalId, key, 'full_answer'));
  return { statusCode, body };
}

/** Returns the columns of an answer. A whole answer with texts of a session is apart from what is left without them. */
function columnsOf(secrets: Secrets, request: FastifyRequest, key: string, { statusCode, body }: StoredResponse) {
  const principalId = principalOf(request);
  const texts = request.routeOptions.config.sessionTexts;
  const sealed = (answer: string) => secrets.encrypt(answer, placeOf(principalId, key));
  if (texts === undefined || statusCode >= 400) return { answer: sealed(body), full_answer: null, session_id: null };
  const answer = JSON.parse(body) as never;
  const session_id = texts.sessionOf(request as never, answer);
  const rest = session_id === null ? body : JSON.stringify(texts.withoutTexts(answer));
  const full_answer = rest === body ? null : secrets.encrypt(body, placeOf(principalId, key, 'full_answer'));
  return { answer: sealed(rest), full_answer, session_id };
}

function handleOnce(
  secrets: Secrets,
  {
    request,
    reply,
    key,
    handle,
  }: { request: FastifyRequest; reply: FastifyReply; key: string; handle: () => Promise<unknown> },
): Promise<IdempotentResponse> {
  const principalId = principalOf(request);

  return inTransaction(request.db, async (trx) => {
    if (!(await tryLockName(trx, `idempotency ${principalId} ${key}`))) throw stillRunning();
    const kept = await findResponse(trx, request, key, secrets);
    if (kept !== undefined) return { isReplay: true, answer: kept };

    const answer = await handleInSavepoint(trx, request, reply, handle);
    await trx
      .insertInto('idempotency_keys')
      .values({
        principal_id: principalId,
        key,
        request_hash: hashOf(request),
        status_code: answer.statusCode,
        ...columnsOf(secrets, request, key, answer),
        scopes: scopesOf(request),
      })
      .onConflict((oc) =>
        oc.columns(['principal_id', 'key']).doUpdateSet((eb) => ({
          request_hash: eb.ref('excluded.request_hash'),
          status_code: eb.ref('excluded.status_code'),
          answer: eb.ref('excluded.answer'),
          full_answer: eb.ref('excluded.full_answer'),
          session_id: eb.ref('excluded.session_id'),
          scopes: eb.ref('excluded.scopes'),
          created_at: eb.ref('excluded.created_at'),
        })),
      )
      .execute();
    return { isReplay: false, answer };
  });
}

/**
 * Runs the handler. A refusal undoes the handler's writes and is stored as the answer. A temporary failure undoes
 * everything.
 */
async function handleInSavepoint(
  trx: Trx,
  request: FastifyRequest,
  reply: FastifyReply,
  handle: () => Promise<unknown>,
): Promise<StoredResponse> {
  const outer = request.db;
  try {
    return await inSavepoint(trx, async () => {
      request.db = trx;
      const answer = await handle();
      const body = answer === '' || answer === undefined ? '' : String(reply.serialize(answer));
      if (body.length > MAX_STORED_CHARACTERS)
        throw tooLarge('The answer is too long to be stored for the Idempotency-Key: send the request in parts');
      return { statusCode: reply.statusCode, body };
    });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
    const answer = answerTo(error);
    return { statusCode: answer.statusCode, body: JSON.stringify(answer) };
  } finally {
    request.db = outer;
  }
}

/**
 * Completes an answer after its effects are committed, and stores it as the one that repeated requests get. If texts of its
 * session were redacted meanwhile, the stored one stays as it was.
 */
async function completed(
  secrets: Secrets,
  {
    request,
    key,
    complete,
    handled,
  }: {
    request: FastifyRequest;
    key: string;
    complete: (request: FastifyRequest, answer: object) => Promise<object>;
    handled: IdempotentResponse;
  },
): Promise<IdempotentResponse> {
  const body = JSON.stringify(await complete(request, JSON.parse(handled.answer.body)));
  if (body === handled.answer.body || body.length > MAX_STORED_CHARACTERS) return handled;
  const answer = { ...handled.answer, body };
  const { session_id, ...columns } = columnsOf(secrets, request, key, answer);
  await request.db
    .updateTable('idempotency_keys')
    .set(columns)
    .where('principal_id', '=', principalOf(request))
    .where('key', '=', key)
    .$if(session_id !== null, (update) => update.where('session_id', '=', session_id))
    .execute();
  return { isReplay: false, answer };
}

function findStored(db: Db, principalId: string, key: string) {
  return db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status_code', 'answer', 'full_answer', 'scopes'])
    .where('principal_id', '=', principalId)
    .where('key', '=', key)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst();
}

function hashOf({ method, url, body }: FastifyRequest): Buffer {
  return createHash('sha256')
    .update(`${method} ${url}\n`)
    .update(JSON.stringify(body ?? null))
    .digest();
}
