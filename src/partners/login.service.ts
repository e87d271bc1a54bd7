import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { addMember } from '../orgs/members/service.ts';
import {
  claimLoginLink,
  deleteExpired,
  findDashboardSession,
  insertDashboardSession,
  insertLoginLink,
} from './queries.ts';
import type { CreateLoginLink } from './schema.ts';
import { assertOwnOrg } from './service.ts';

const TOKEN_BYTES = 32;
const LINK_TTL_MINUTES = 15;
export const SESSION_TTL_MINUTES = 12 * 60;

/**
 * Creates a link for one sign-in within 15 minutes, and makes the user a member. Only the token's hash is stored.
 * Throws forbidden unless the org belongs to the partner.
 */
export function issueLoginLink(
  db: Db,
  dashboardUrl: string,
  partnerId: string,
  { orgId, ...person }: CreateLoginLink & { orgId: string },
) {
  return inTransaction(db, async (trx) => {
    await assertOwnOrg(trx, partnerId, orgId);
    const userId = await addMember(trx, orgId, person);
    const token = newToken();
    const link = { token_hash: hashOf(token), org_id: orgId, user_id: userId };
    const { expires_at } = await insertLoginLink(trx, link, LINK_TTL_MINUTES);
    return { url: `${dashboardUrl}/partner-login?token=${token}`, expires_at };
  });
}

/**
 * Consumes the link and returns the token of a new dashboard session. Returns undefined if the link is unknown, used or
 * expired.
 */
export function consumeLoginLink(db: Db, token: string): Promise<string | undefined> {
  return inTransaction(db, async (trx) => {
    const member = await claimLoginLink(trx, hashOf(token));
    if (member === undefined) return undefined;
    const sessionToken = newToken();
    await insertDashboardSession(trx, { ...member, token_hash: hashOf(sessionToken) }, SESSION_TTL_MINUTES);
    return sessionToken;
  });
}

/** Returns the member signed in by the session's token, with the org. */
export const findSignedIn = (db: Db, sessionToken: string) => findDashboardSession(db, hashOf(sessionToken));

/** Deletes expired links and dashboard sessions. Returns their number. */
export async function deleteExpiredLogins(db: Db): Promise<number> {
  const [links, sessions] = await Promise.all([
    deleteExpired(db, 'login_links'),
    deleteExpired(db, 'dashboard_sessions'),
  ]);
  return links + sessions;
}

const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url');
const hashOf = (token: string) => createHash('sha256').update(token).digest();
