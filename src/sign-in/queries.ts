import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';

interface TokenOfMember {
  token_hash: Buffer;
  org_id: string;
  user_id: number;
}

export interface SessionLimits {
  idleMinutes: number;
  maxMinutes: number;
}

/** Returns the org to which an address signs in by mail: the one in which the member was last, or else the first one. */
export async function findOrgToSignInTo(db: Db, email: string): Promise<{ orgId: string; userId: number } | undefined> {
  const { rows } = await sql<{ orgId: string; userId: number }>`
    select member.org_id as "orgId", member.user_id as "userId" from users
    join members as member on member.user_id = users.id and member.deleted_at is null
    where users.email = lower(${email})
    order by (
      select max(session.created_at) from dashboard_sessions as session
      where session.org_id = member.org_id and session.user_id = member.user_id
    ) desc nulls last, member.created_at, member.org_id
    limit 1
  `.execute(db);
  return rows[0];
}

/** Returns the account of the member of an org with this address. */
export const findUserIdOfMember = async (db: Db, orgId: string, email: string): Promise<number | undefined> =>
  (
    await db
      .selectFrom('members as member')
      .innerJoin('users as user', 'user.id', 'member.user_id')
      .select('member.user_id')
      .where('member.org_id', '=', orgId)
      .where('user.email', '=', email.toLowerCase())
      .where('member.deleted_at', 'is', null)
      .executeTakeFirst()
  )?.user_id;

/** Returns a member whose membership has not ended, with the name of its org. */
export const findMemberToMail = (db: Db, orgId: string, userId: number) =>
  db
    .selectFrom('members as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .innerJoin('orgs as org', 'org.id', 'member.org_id')
    .select(['user.email', 'member.name', 'org.name as org'])
    .where('member.org_id', '=', orgId)
    .where('member.user_id', '=', userId)
    .where('member.deleted_at', 'is', null)
    .executeTakeFirst();

/** Uses the database's clock, the same for all processes. */
const inMinutes = (minutes: number) => sql<Date>`now() + make_interval(mins => ${minutes})`;

/** SQL: the end of a session that is used now, of somebody who signed in at a time. */
const endOf = (signedInAt: Date | RawBuilder<Date>, { idleMinutes, maxMinutes }: SessionLimits) =>
  sql<Date>`least(${inMinutes(idleMinutes)}, ${signedInAt}::timestamptz + make_interval(mins => ${maxMinutes}))`;

export function insertLoginLink(db: Db, link: TokenOfMember, ttlMinutes: number) {
  return db
    .insertInto('login_links')
    .values({ ...link, expires_at: inMinutes(ttlMinutes) })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
}

/** Returns whom a link signs in, without using it up. */
export function findLoginLink(db: Db, tokenHash: Buffer) {
  return db
    .selectFrom('login_links as link')
    .innerJoin('members as member', (join) =>
      join.onRef('member.org_id', '=', 'link.org_id').onRef('member.user_id', '=', 'link.user_id'),
    )
    .innerJoin('orgs as org', 'org.id', 'link.org_id')
    .select(['org.name as org', 'member.name as name'])
    .where('link.token_hash', '=', tokenHash)
    .where('link.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/** Deletes and returns the link: of concurrent attempts, only one gets it. */
export function claimLoginLink(db: Db, tokenHash: Buffer) {
  return db
    .deleteFrom('login_links')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['org_id', 'user_id'])
    .executeTakeFirst();
}

export async function insertDashboardSession(
  db: Db,
  session: TokenOfMember & { id: string; link_hash: Buffer | null; created_at?: Date },
  { idleMinutes, maxMinutes }: SessionLimits,
): Promise<void> {
  const signedInAt = session.created_at ?? sql<Date>`now()`;
  await db
    .insertInto('dashboard_sessions')
    .values({ ...session, expires_at: endOf(signedInAt, { idleMinutes, maxMinutes }) })
    .execute();
}

/** Returns the session of a token with its member and org. The token is unique across orgs. */
export function findDashboardSession(db: Db, tokenHash: Buffer) {
  return db
    .selectFrom('dashboard_sessions as session')
    .innerJoin('members as member', (join) =>
      join.onRef('member.org_id', '=', 'session.org_id').onRef('member.user_id', '=', 'session.user_id'),
    )
    .innerJoin('orgs as org', 'org.id', 'session.org_id')
    .select((eb) => [
      'session.id',
      'session.org_id',
      'session.user_id',
      'session.link_hash',
      'session.created_at',
      'session.expires_at',
      sql<string | null>`org.settings ->> 'country'`.as('country'),
      'member.name as name',
      eb
        .selectFrom('member_roles as given')
        .innerJoin('roles as role', (join) =>
          join.onRef('role.org_id', '=', 'given.org_id').onRef('role.id', '=', 'given.role_id'),
        )
        .whereRef('given.org_id', '=', 'session.org_id')
        .whereRef('given.user_id', '=', 'session.user_id')
        .select(sql<string[]>`coalesce(array_agg(role.name), '{}')`.as('names'))
        .$asScalar()
        .$notNull()
        .as('roles'),
    ])
    .where('session.token_hash', '=', tokenHash)
    .where('session.expires_at', '>', sql<Date>`now()`)
    .where('member.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Moves the end of a used session away, up to its maximum age. */
export async function extendDashboardSession(
  db: Db,
  tokenHash: Buffer,
  { idleMinutes, maxMinutes }: SessionLimits,
): Promise<void> {
  await db
    .updateTable('dashboard_sessions')
    .set({ expires_at: endOf(sql<Date>`created_at`, { idleMinutes, maxMinutes }) })
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', sql<Date>`now()`)
    .execute();
}

export async function deleteDashboardSession(db: Db, tokenHash: Buffer): Promise<void> {
  await db.deleteFrom('dashboard_sessions').where('token_hash', '=', tokenHash).execute();
}

/** Lists the member's sessions, the newest first. */
export const listSessionsOfMember = (db: Db, orgId: string, userId: number) =>
  db
    .selectFrom('dashboard_sessions')
    .select(['id', 'created_at', 'expires_at'])
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();

/** Deletes a session of the member. Returns false if there is none. */
export async function deleteSessionOfMember(
  db: Db,
  orgId: string,
  { userId, id }: { userId: number; id: string },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('dashboard_sessions')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteExpired(db: Db, table: 'login_links' | 'dashboard_sessions'): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom(table).where('expires_at', '<=', sql<Date>`now()`).executeTakeFirst();
  return Number(numDeletedRows);
}
