import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { DomainError } from '../../errors.ts';
import type { Secrets } from '../../secrets.ts';

/** Stands for full access among the scopes of a stored answer. */
const FULL_ACCESS = '*';

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  secrets: Secrets;
  request: FastifyRequest;
  reply: FastifyReply;
  key: string;
}

export interface StoredResponse {
  statusCode: number;
  body: string;
}

/** An answer with what is left of it once the texts of its session are redacted. */
export interface StorableResponse extends StoredResponse {
  sessionId: string | null;
  bodyWithoutTexts: string;
}

/** Returns the id of the calling org or partner. */
export const principalOf = ({ org, partner }: FastifyRequest): string => (org ?? partner).id;

/** The name that is locked while a request with an Idempotency-Key runs. */
export const lockOfKey = (principalId: string, key: string): string => `idempotency ${principalId} ${key}`;

/** Identifies the content of a request. */
export function hashOf({ method, url, body }: FastifyRequest): Buffer {
  return createHash('sha256')
    .update(`${method} ${url}\n`)
    .update(JSON.stringify(body ?? null))
    .digest();
}

const placeOf = (principalId: string, key: string, column: 'answer' | 'full_answer' = 'answer') => ({
  orgId: principalId,
  table: 'idempotency_keys',
  column,
  row: key,
});

/** Returns the scopes of the caller's key. A partner has none. */
const scopesOf = ({ org }: FastifyRequest): string[] =>
  org?.scopes === null ? [FULL_ACCESS] : [...(org?.scopes ?? [])];

/** Whether the caller's key has all of these scopes. */
const hasScopes = (request: FastifyRequest, scopes: string[]): boolean => {
  const held = scopesOf(request);
  return held.includes(FULL_ACCESS) || scopes.every((scope) => held.includes(scope));
};

const keyReused = (message: string) =>
  new DomainError('unprocessable', message, undefined, { code: 'idempotency_key_reused' });

/**
 * Returns the earlier answer for this key. Throws unprocessable if the key was used by a different request, or with an API
 * key that has more scopes than the caller's: the answer may have a secret, and nothing may be done a second time.
 */
export async function findResponse(
  db: Db,
  { secrets, request, key }: KeyedRequest,
): Promise<StoredResponse | undefined> {
  const principalId = principalOf(request);
  const stored = await findStored(db, principalId, key);
  if (stored === undefined) return undefined;
  if (!hashOf(request).equals(stored.request_hash)) {
    throw keyReused('This Idempotency-Key was used with another request: send a new key');
  }
  if (!hasScopes(request, stored.scopes)) {
    throw keyReused(
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

function findStored(db: Db, principalId: string, key: string) {
  return db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status_code', 'answer', 'full_answer', 'scopes'])
    .where('principal_id', '=', principalId)
    .where('key', '=', key)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst();
}

/** Stores the answer to a request in place of an expired one. */
export async function insertResponse(trx: Trx, keyed: KeyedRequest, response: StorableResponse): Promise<void> {
  const { request, key } = keyed;
  await trx
    .insertInto('idempotency_keys')
    .values({
      principal_id: principalOf(request),
      key,
      request_hash: hashOf(request),
      scopes: scopesOf(request),
      ...columnsOf(keyed, response),
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
}

/** Replaces a stored answer by the completed one, unless texts of its session were redacted meanwhile. */
export async function updateResponse(keyed: KeyedRequest, response: StorableResponse): Promise<void> {
  const { request, key } = keyed;
  const { session_id, ...columns } = columnsOf(keyed, response);
  await request.db
    .updateTable('idempotency_keys')
    .set(columns)
    .where('principal_id', '=', principalOf(request))
    .where('key', '=', key)
    .$if(session_id !== null, (update) => update.where('session_id', '=', session_id))
    .execute();
}

/** Returns the columns of an answer. A whole answer with texts of a session is apart from what is left without them. */
function columnsOf(
  { secrets, request, key }: KeyedRequest,
  { statusCode, body, bodyWithoutTexts, sessionId }: StorableResponse,
) {
  const principalId = principalOf(request);
  const isWhole = bodyWithoutTexts === body;
  return {
    status_code: statusCode,
    answer: secrets.encrypt(bodyWithoutTexts, placeOf(principalId, key)),
    full_answer: isWhole ? null : secrets.encrypt(body, placeOf(principalId, key, 'full_answer')),
    session_id: sessionId,
  };
}
