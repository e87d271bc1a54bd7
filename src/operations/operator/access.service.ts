import { timingSafeEqual } from 'node:crypto';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { isUuid, newId } from '../../ids.ts';
import { OPERATOR_SESSION_SECONDS } from '../../sign-in/cookies.ts';
import { hashOf, newToken } from '../../sign-in/tokens.ts';
import { claimLink, findKey, findSession, insertKey, insertLink, insertSession, revokeKey } from './access.queries.ts';

export {
  deleteAllSessions as endOperatorSessions,
  deleteExpired as deleteExpiredOperatorLogins,
  deleteSession as endOperatorSession,
  findLink as findOperatorLink,
  listKeys as listOperatorKeys,
} from './access.queries.ts';

/** No key of an org or a partner looks like this: those are JWTs. */
const KEY = /^swbop_([0-9a-f-]{36})_([\w-]{43})$/;
/** Compared with if no key has the id: both cases take as long. */
const NO_HASH = hashOf('');
export const OPERATOR_SIGN_IN_PATH = 'operator/sign-in';

/** Who runs the installation. */
export interface OperatorPrincipal {
  kind: 'operator';
  id: string;
  name: string;
  via: 'key' | 'session';
  /** When the session ends. Null for a key. */
  expiresAt: Date | null;
}

/** Creates a key of the operator. Only the hash of its secret is stored. */
export async function issueOperatorKey(db: Db, name: string) {
  const [id, secret] = [newId(), newToken()];
  await insertKey(db, { id, name, secret_hash: hashOf(secret) });
  return { key_id: id, name, key: `swbop_${id}_${secret}` };
}

/** Revokes a key from the next request on. Throws notFound. */
export async function revokeOperatorKey(db: Db, id: string): Promise<void> {
  if (!isUuid(id) || !(await revokeKey(db, id))) throw notFound('operator key');
}

/** Returns the operator with this key, or undefined. Takes as long for any key of the right form. */
export async function findOperatorByKey(db: Db, key: string): Promise<OperatorPrincipal | undefined> {
  const [, id, secret] = KEY.exec(key) ?? [];
  if (id === undefined || secret === undefined || !isUuid(id)) return undefined;
  const found = await findKey(db, id);
  const isRight = timingSafeEqual(hashOf(secret), found?.secret_hash ?? NO_HASH);
  return found !== undefined && isRight
    ? { kind: 'operator', id, name: found.name, via: 'key', expiresAt: null }
    : undefined;
}

/** Returns the operator who is signed in by this token, or undefined. */
export async function findOperatorBySession(db: Db, token: string): Promise<OperatorPrincipal | undefined> {
  const session = await findSession(db, hashOf(token));
  return (
    session && { kind: 'operator', id: session.id, name: session.name, via: 'session', expiresAt: session.expires_at }
  );
}

/** Creates a link for one sign-in to the operator's pages within 15 minutes. */
export async function createOperatorLink(db: Db, dashboardUrl: string, name: string) {
  const token = newToken();
  const { expires_at } = await insertLink(db, { token_hash: hashOf(token), name });
  return { url: `${dashboardUrl}/${OPERATOR_SIGN_IN_PATH}?token=${token}`, expires_at };
}

/** Uses up a link. Returns the token of a session of 12 hours, or undefined if the link is unknown, used or expired. */
export const signInOperator = (db: Db, linkToken: string): Promise<string | undefined> =>
  inTransaction(db, async (trx) => {
    const link = await claimLink(trx, hashOf(linkToken));
    if (link === undefined) return undefined;
    const token = newToken();
    const session = { token_hash: hashOf(token), id: newId(), name: link.name };
    await insertSession(trx, { ...session, seconds: OPERATOR_SESSION_SECONDS });
    return token;
  });
