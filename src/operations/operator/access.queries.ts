import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

const LINK_TTL = sql`interval '15 minutes'`;
const NOW = sql<Date>`now()`;

export const insertKey = (db: Db, key: { id: string; name: string; secret_hash: Buffer }) =>
  db.insertInto('operator_keys').values(key).execute();

export const findKey = (db: Db, id: string) =>
  db
    .selectFrom('operator_keys')
    .select(['id', 'name', 'secret_hash'])
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();

export const listKeys = (db: Db) =>
  db
    .selectFrom('operator_keys')
    .select(['id', 'name', 'created_at', 'revoked_at'])
    .orderBy('id')
    .limit(1_000)
    .execute();

/** Revokes a key. Returns its name, or undefined if there is none to revoke. */
export async function revokeKey(db: Db, id: string): Promise<string | undefined> {
  const revoked = await db
    .updateTable('operator_keys')
    .set({ revoked_at: NOW })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('name')
    .executeTakeFirst();
  return revoked?.name;
}

export const insertLink = (db: Db, link: { token_hash: Buffer; name: string }) =>
  db
    .insertInto('operator_links')
    .values({ ...link, expires_at: sql<Date>`now() + ${LINK_TTL}` })
    .returning('expires_at')
    .executeTakeFirstOrThrow();

export const findLink = (db: Db, hash: Buffer) =>
  db
    .selectFrom('operator_links')
    .select('name')
    .where('token_hash', '=', hash)
    .where('expires_at', '>', NOW)
    .executeTakeFirst();

/** Deletes a link that is still valid, and returns whom it signs in. */
export const claimLink = (db: Db, hash: Buffer) =>
  db
    .deleteFrom('operator_links')
    .where('token_hash', '=', hash)
    .where('expires_at', '>', NOW)
    .returning('name')
    .executeTakeFirst();

export const insertSession = (
  db: Db,
  { seconds, ...session }: { token_hash: Buffer; id: string; name: string; seconds: number },
) =>
  db
    .insertInto('operator_sessions')
    .values({ ...session, expires_at: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .execute();

export const findSession = (db: Db, hash: Buffer) =>
  db
    .selectFrom('operator_sessions')
    .select(['id', 'name', 'expires_at'])
    .where('token_hash', '=', hash)
    .where('expires_at', '>', NOW)
    .executeTakeFirst();

export const deleteSession = (db: Db, id: string) => db.deleteFrom('operator_sessions').where('id', '=', id).execute();

/** Ends all sessions and links, as when a browser or a shell history was lost. Returns the number of sessions. */
export async function deleteAllSessions(db: Db): Promise<number> {
  await db.deleteFrom('operator_links').execute();
  const { numDeletedRows } = await db.deleteFrom('operator_sessions').executeTakeFirst();
  return Number(numDeletedRows);
}

export async function deleteExpired(db: Db): Promise<number> {
  const deleted = await Promise.all([
    db.deleteFrom('operator_links').where('expires_at', '<', NOW).executeTakeFirst(),
    db.deleteFrom('operator_sessions').where('expires_at', '<', NOW).executeTakeFirst(),
  ]);
  return deleted.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
}
