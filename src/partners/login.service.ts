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
 * Makes a link that signs the person in once within 15 minutes, and the person a member. Only the token's hash is kept.
 * Throws forbidden unless the org is the partner's.
 */
export function issueLoginLink(
  db: Db,
  dashboardUrl: string,
  partnerId: string,
  orgId: string,
  person: CreateLoginLink,
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

/** Consumes the link and gives the token of a new dashboard session; undefined when the link was used, expired or never was. */
export function consumeLoginLink(db: Db, token: string): Promise<string | undefined> {
  return inTransaction(db, async (trx) => {
    const member = await claimLoginLink(trx, hashOf(token));
    if (member === undefined) return undefined;
    const sessionToken = newToken();
    await insertDashboardSession(trx, { ...member, token_hash: hashOf(sessionToken) }, SESSION_TTL_MINUTES);
    return sessionToken;
  });
}

/** Who the session's token signs in, and where. */
export const findSignedIn = (db: Db, sessionToken: string) => findDashboardSession(db, hashOf(sessionToken));

/** Forgets links and dashboard sessions that nobody can use any more, and says how many. */
export async function deleteExpiredLogins(db: Db): Promise<number> {
  const [links, sessions] = await Promise.all([
    deleteExpired(db, 'login_links'),
    deleteExpired(db, 'dashboard_sessions'),
  ]);
  return links + sessions;
}

const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url');
const hashOf = (token: string) => createHash('sha256').update(token).digest();
