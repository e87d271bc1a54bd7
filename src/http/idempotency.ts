import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Deps } from '../deps.ts';
import { conflict, DomainError, invalid, unprocessable } from '../errors.ts';
import type { Secrets } from '../secrets.ts';
import { answerTo } from './errors.ts';

interface StoredAnswer {
  statusCode: number;
  body: string;
}

type Handler = (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * `Idempotency-Key` on any POST with a key (draft-ietf-httpapi-idempotency-key-header). The handler runs in one transaction with the
 * row that keeps its answer: either both are there or neither, whenever the process dies. Handlers return their answer.
 */
export const idempotency = fastifyPlugin(async (app: FastifyInstance, { secrets }: Deps) => {
  app.addHook('onRoute', (route) => {
    if (route.method !== 'POST' || route.config?.scope === 'public') return;
    const handler = route.handler as Handler;
    const onlyOnce: Handler = async function (request, reply) {
      const key = idempotencyKeyOf(request);
      if (key === undefined) return handler.call(this, request, reply);
      const { isReplay, answer } = await answerOnce(request, reply, key, secrets, () =>
        handler.call(this, request, reply),
      );
      if (isReplay) reply.header('idempotent-replayed', 'true');
      reply.code(answer.statusCode);
      if (answer.body !== '') reply.type('application/json; charset=utf-8');
      return answer.body;
    };
    route.handler = onlyOnce as never;
  });
});

function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
    throw invalid('Idempotency-Key must have 1 to 255 characters');
  }
  return key;
}

function answerOnce(
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
  secrets: Secrets,
  handle: () => Promise<unknown>,
): Promise<{ isReplay: boolean; answer: StoredAnswer }> {
  const principalId = (request.org ?? request.partner).id;
  const requestHash = hashOf(request);
  const place = { orgId: principalId, table: 'idempotency_keys', column: 'answer', row: key };

  return inTransaction(request.db, async (trx) => {
    if (!(await tryLock(trx, principalId, key))) {
      throw conflict('A request with this Idempotency-Key is still running: try again when it has ended');
    }
    const stored = await findStored(trx, principalId, key);
    if (stored !== undefined) {
      if (!requestHash.equals(stored.request_hash)) {
        throw unprocessable('This Idempotency-Key was used with another request: send a new key');
      }
      const body = secrets.decrypt(stored.answer, place);
      return { isReplay: true, answer: { statusCode: stored.status_code, body } };
    }

    const answer = await handleInSavepoint(trx, request, reply, handle);
    await trx
      .insertInto('idempotency_keys')
      .values({
        principal_id: principalId,
        key,
        request_hash: requestHash,
        status_code: answer.statusCode,
        answer: secrets.encrypt(answer.body, place),
      })
      .onConflict((oc) =>
        oc.columns(['principal_id', 'key']).doUpdateSet((eb) => ({
          request_hash: eb.ref('excluded.request_hash'),
          status_code: eb.ref('excluded.status_code'),
          answer: eb.ref('excluded.answer'),
          created_at: eb.ref('excluded.created_at'),
        })),
      )
      .execute();
    return { isReplay: false, answer };
  });
}

/** A refusal undoes what the handler wrote and is kept as the answer; a failure that may pass undoes everything. */
async function handleInSavepoint(
  trx: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  handle: () => Promise<unknown>,
): Promise<StoredAnswer> {
  const outer = request.db;
  await sql`savepoint handler`.execute(trx);
  try {
    request.db = trx;
    const payload = await handle();
    const body = payload === '' || payload === undefined ? '' : reply.serialize(payload as object);
    return { statusCode: reply.statusCode, body: String(body) };
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
    await sql`rollback to savepoint handler`.execute(trx);
    const answer = answerTo(error);
    return { statusCode: answer.statusCode, body: JSON.stringify(answer) };
  } finally {
    request.db = outer;
  }
}

async function tryLock(trx: Db, principalId: string, key: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`idempotency ${principalId} ${key}`}, 0)) as locked
  `.execute(trx);
  return rows[0]?.locked === true;
}

function findStored(trx: Db, principalId: string, key: string) {
  return trx
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status_code', 'answer'])
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
