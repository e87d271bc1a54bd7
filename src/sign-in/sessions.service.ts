import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import { announceKeysChanged } from '../keys/service.ts';
import { lockMember } from '../orgs/members/service.ts';
import {
  claimLoginLink,
  deleteDashboardSession,
  deleteSessionOfMember,
  extendDashboardSession,
  findDashboardSession,
  insertDashboardSession,
  listSessionsOfMember,
  type SessionLimits,
} from './queries.ts';
import { hashOf, newToken } from './tokens.ts';

const MINUTE_MS = 60_000;
/** A session ends 12 hours after its last use, and 30 days after the sign-in. */
const LIMITS: SessionLimits = { idleMinutes: 12 * 60, maxMinutes: 30 * 24 * 60 };
export const MAX_SESSION_SECONDS = LIMITS.maxMinutes * 60;
/** A use moves the end away if it moves by as much: not each request writes. */
const MIN_EXTENSION_MS = 10 * MINUTE_MS;

/**
 * Consumes a link and returns the token of a new session, which takes the place of the browser's former one. Returns
 * undefined if the link is unknown, used or expired.
 */
export function signInByLink(db: Db, token: string, formerToken: string | undefined): Promise<string | undefined> {
  return inTransaction(db, async (trx) => {
    const linkHash = hashOf(token);
    const member = await claimLoginLink(trx, linkHash);
    if (member === undefined) return undefined;
    if (formerToken !== undefined) await deleteDashboardSession(trx, hashOf(formerToken));
    const sessionToken = newToken();
    const session = { ...member, id: newId(), token_hash: hashOf(sessionToken), link_hash: linkHash };
    await insertDashboardSession(trx, session, LIMITS);
    return sessionToken;
  });
}

/** Returns the session of a token with its member, unless it has ended. */
export const findSession = (db: Db, sessionToken: string) => findDashboardSession(db, hashOf(sessionToken));

export type SignedIn = NonNullable<Awaited<ReturnType<typeof findSession>>>;

/** Returns whether a session was opened by the link with this token. */
export const isOfLink = ({ link_hash }: SignedIn, token: string): boolean => link_hash?.equals(hashOf(token)) ?? false;

/** Moves the end of a used session away, unless that would move it by little. */
export async function extendSession(db: Db, sessionToken: string, { created_at, expires_at }: SignedIn): Promise<void> {
  const latest = created_at.getTime() + LIMITS.maxMinutes * MINUTE_MS;
  const end = Math.min(Date.now() + LIMITS.idleMinutes * MINUTE_MS, latest);
  if (end - expires_at.getTime() >= MIN_EXTENSION_MS) await extendDashboardSession(db, hashOf(sessionToken), LIMITS);
}

/**
 * Returns the token of a new session of the account in another org, which takes the place of the former one. It lasts no
 * longer than the former one could. Throws notFound unless the account is a member there.
 */
export const switchSession = (
  db: Db,
  formerToken: string,
  { orgId, userId }: { orgId: string; userId: number },
): Promise<string> =>
  inTransaction(db, async (trx) => {
    const former = await findSession(trx, formerToken);
    if (former === undefined || !(await lockMember(trx, orgId, userId))) throw notFound('org of yours');
    await deleteDashboardSession(trx, hashOf(formerToken));
    const token = newToken();
    const session = { id: newId(), org_id: orgId, user_id: userId, token_hash: hashOf(token) };
    await insertDashboardSession(trx, { ...session, link_hash: null, created_at: former.created_at }, LIMITS);
    await announceKeysChanged(trx);
    return token;
  });

export const listOwnSessions = listSessionsOfMember;

/** Ends a session of the member. Throws notFound. */
export const endOwnSession = (db: Db, orgId: string, session: { userId: number; id: string }): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (!(await deleteSessionOfMember(trx, orgId, session))) throw notFound('session of yours');
    await announceKeysChanged(trx);
  });
