import { timingSafeEqual } from 'node:crypto';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { isUuid, newId } from '../../ids.ts';
import { OPERATOR_SESSION_SECONDS } from '../../sign-in/cookies.ts';
import { hashOf, newToken } from '../../sign-in/tokens.ts';
import {
  claimLink,
  deleteAllSessions,
  deleteSession,
  findKey,
  findSession,
  insertKey,
  insertLink,
  insertSession,
  revokeKey,
} from './access.queries.ts';
import { type ActingOperator, recordAct } from './actions.service.ts';

export {
  deleteExpired as deleteExpiredOperatorLogins,
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

/** Creates a key of the operator, and records who did. Only the hash of its secret is stored. */
export const issueOperatorKey = (db: Db, by: ActingOperator, name: string) =>
  inTransaction(db, async (trx) => {
    const [id, secret] = [newId(), newToken()];
    await insertKey(trx, { id, name, secret_hash: hashOf(secret) });
    await recordAct(trx, by, { action: 'key_created', ref: id, detail: name });
    return { key_id: id, name, key: `swbop_${id}_${secret}` };
  });

/** Revokes a key from the next request on, and records who did. Throws notFound. */
export const revokeOperatorKey = (db: Db, by: ActingOperator, id: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    const name = isUuid(id) ? await revokeKey(trx, id) : undefined;
    if (name === undefined) throw notFound('operator key');
    await recordAct(trx, by, { action: 'key_revoked', ref: id, detail: name });
  });

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

/** Creates a link for one sign-in to the operator's pages within 15 minutes, and records who did. */
export const createOperatorLink = (db: Db, by: ActingOperator, dashboardUrl: string, name: string) =>
  inTransaction(db, async (trx) => {
    const token = newToken();
    const { expires_at } = await insertLink(trx, { token_hash: hashOf(token), name });
    await recordAct(trx, by, { action: 'login_link_created', detail: name });
    return { url: `${dashboardUrl}/${OPERATOR_SIGN_IN_PATH}?token=${token}`, expires_at };
  });

/** Ends the session of an operator, and records it. */
export const endOperatorSession = (db: Db, operator: OperatorPrincipal): Promise<void> =>
  inTransaction(db, async (trx) => {
    await deleteSession(trx, operator.id);
    await recordAct(trx, operator, { action: 'signed_out' });
  });

/** Ends all sessions and links of operators, and records who did. Returns the number of sessions. */
export const endOperatorSessions = (db: Db, by: ActingOperator): Promise<number> =>
  inTransaction(db, async (trx) => {
    const ended = await deleteAllSessions(trx);
    await recordAct(trx, by, { action: 'logins_ended', detail: `${ended} sessions` });
    return ended;
  });

/** Uses up a link, and records it. Returns the token of a session of 12 hours, or undefined if the link is unknown, used or expired. */
export const signInOperator = (db: Db, linkToken: string): Promise<string | undefined> =>
  inTransaction(db, async (trx) => {
    const link = await claimLink(trx, hashOf(linkToken));
    if (link === undefined) return undefined;
    const token = newToken();
    const session = { id: newId(), name: link.name };
    await insertSession(trx, { ...session, token_hash: hashOf(token), seconds: OPERATOR_SESSION_SECONDS });
    await recordAct(trx, { ...session, via: 'session' }, { action: 'signed_in' });
    return token;
  });
