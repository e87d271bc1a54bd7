import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

const COLUMNS = ['id', 'name', 'is_active', 'allowed_ips', 'ai_instructions', 'created_at'] as const;

export function insertPartner(
  db: Db,
  partner: { id: string; name: string; allowed_ips: string[]; ai_instructions: string | null },
) {
  return db.insertInto('partners').values(partner).returning(COLUMNS).executeTakeFirstOrThrow();
}

export function findPartner(db: Db, partnerId: string) {
  return db.selectFrom('partners').select(COLUMNS).where('id', '=', partnerId).executeTakeFirst();
}

export function listPartners(db: Db) {
  return db.selectFrom('partners').select(COLUMNS).orderBy('created_at').orderBy('id').execute();
}

export function updatePartner(db: Db, partnerId: string, changes: { is_active?: boolean; allowed_ips?: string[] }) {
  return db.updateTable('partners').set(changes).where('id', '=', partnerId).returning(COLUMNS).executeTakeFirst();
}

interface TokenOfMember {
  token_hash: Buffer;
  org_id: string;
  user_id: number;
}

/** Uses the database's clock, the same for all processes. */
const inMinutes = (minutes: number) => sql<Date>`now() + make_interval(mins => ${minutes})`;

export function insertLoginLink(db: Db, link: TokenOfMember, ttlMinutes: number) {
  return db
    .insertInto('login_links')
    .values({ ...link, expires_at: inMinutes(ttlMinutes) })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
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

export async function insertDashboardSession(db: Db, session: TokenOfMember, ttlMinutes: number): Promise<void> {
  await db
    .insertInto('dashboard_sessions')
    .values({ ...session, expires_at: inMinutes(ttlMinutes) })
    .execute();
}

/** Returns the member and org of a dashboard session by the hash of its token. The token is unique across orgs. */
export function findDashboardSession(db: Db, tokenHash: Buffer) {
  return db
    .selectFrom('dashboard_sessions as session')
    .innerJoin('members as member', (join) =>
      join.onRef('member.org_id', '=', 'session.org_id').onRef('member.user_id', '=', 'session.user_id'),
    )
    .innerJoin('users as user', 'user.id', 'session.user_id')
    .innerJoin('orgs as org', 'org.id', 'session.org_id')
    .select(['org.name as org', 'member.name as name', 'user.email', 'session.expires_at'])
    .where('session.token_hash', '=', tokenHash)
    .where('session.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

export async function deleteExpired(db: Db, table: 'login_links' | 'dashboard_sessions'): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom(table).where('expires_at', '<=', sql<Date>`now()`).executeTakeFirst();
  return Number(numDeletedRows);
}
