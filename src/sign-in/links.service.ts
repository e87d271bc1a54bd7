import type { Db, Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { notFound } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { deleteExpired, findLoginLink, findUserIdOfMember, insertLoginLink } from './queries.ts';
import { hashOf, newToken } from './tokens.ts';

const LINK_TTL_MINUTES = 15;
const PATHS = {
  /** Signs in whoever opens it. */
  once: 'partner-login',
  /** Shows a page whose button signs in, as scanners of mail open links too. */
  page: 'sign-in',
};

interface LinkRequest {
  orgId: string;
  userId: number;
  opens: keyof typeof PATHS;
}

/** Creates a link for one sign-in of a member within 15 minutes. Only the token's hash is stored. */
export async function createLoginLink(trx: Trx, dashboardUrl: string, { orgId, userId, opens }: LinkRequest) {
  const token = newToken();
  const link = { token_hash: hashOf(token), org_id: orgId, user_id: userId };
  const { expires_at } = await insertLoginLink(trx, link, LINK_TTL_MINUTES);
  return { url: `${dashboardUrl}/${PATHS[opens]}?token=${token}`, expires_at };
}

/** Returns a link that signs a member of an org in, for operators. Throws notFound. */
export const linkForMember = (db: Db, dashboardUrl: string, { orgId, email }: { orgId: string; email: string }) =>
  inTransaction(db, async (trx) => {
    const userId = isUuid(orgId) ? await findUserIdOfMember(trx, orgId, email) : undefined;
    if (userId === undefined) throw notFound('member with this address in this org');
    return createLoginLink(trx, dashboardUrl, { orgId, userId, opens: 'page' });
  });

/** Returns whom a link would sign in. Undefined for one that is unknown, used or expired. */
export const findLinkedMember = (db: Db, token: string) => findLoginLink(db, hashOf(token));

/** Deletes expired links and dashboard sessions. Returns their number. */
export async function deleteExpiredLogins(db: Db): Promise<number> {
  const [links, sessions] = await Promise.all([
    deleteExpired(db, 'login_links'),
    deleteExpired(db, 'dashboard_sessions'),
  ]);
  return links + sessions;
}
