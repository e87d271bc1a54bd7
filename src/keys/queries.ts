import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

/** How exactly the last use of a key is known: it is written no more often. */
const USE_PRECISION = sql`interval '1 hour'`;

/**
 * Records that a key is used now, at most once an hour, whoever else records it too. Leaves it to the next use if another
 * transaction has the row: no request waits for that.
 */
export async function touchOrgKey(db: Db, orgId: string, keyId: string): Promise<void> {
  await db
    .updateTable('org_api_keys')
    .set({ last_used_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('org_api_keys')
        .select('id')
        .where('org_id', '=', orgId)
        .where('id', '=', keyId)
        .where(sql<boolean>`coalesce(last_used_at < now() - ${USE_PRECISION}, true)`)
        .forNoKeyUpdate()
        .skipLocked(),
    )
    .execute();
}

/**
 * Returns the key with the country of its org, unless it was revoked. The org id comes from the same verified token as
 * the key id.
 */
export function findOrgKey(db: Db, orgId: string, keyId: string) {
  return db
    .selectFrom('org_api_keys as key')
    .innerJoin('orgs as org', 'org.id', 'key.org_id')
    .select([
      'key.org_id',
      'key.id',
      'key.name',
      'key.scopes',
      sql<string | null>`org.settings ->> 'country'`.as('country'),
      sql<boolean>`coalesce(key.last_used_at < now() - ${USE_PRECISION}, true)`.as('is_use_due'),
    ])
    .where('key.org_id', '=', orgId)
    .where('key.id', '=', keyId)
    .where('key.revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Returns the key with its partner, unless the key was revoked or the partner is inactive. */
export function findPartnerKey(db: Db, partnerId: string, keyId: string) {
  return db
    .selectFrom('partner_api_keys as key')
    .innerJoin('partners as partner', 'partner.id', 'key.partner_id')
    .select(['partner.id as partner_id', 'partner.name as partner_name', 'partner.allowed_ips'])
    .where('key.partner_id', '=', partnerId)
    .where('key.id', '=', keyId)
    .where('key.revoked_at', 'is', null)
    .where('partner.is_active', '=', true)
    .executeTakeFirst();
}

export function insertOrgKey(db: Db, key: { org_id: string; id: string; name: string; scopes: string[] | null }) {
  return db.insertInto('org_api_keys').values(key).execute();
}

export function insertPartnerKey(db: Db, key: { partner_id: string; id: string; name: string }) {
  return db.insertInto('partner_api_keys').values(key).execute();
}

export function listOrgKeys(db: Db, orgId: string) {
  return db
    .selectFrom('org_api_keys')
    .select(['id', 'name', 'scopes', 'created_at', 'last_used_at'])
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function revokeOrgKey(db: Db, orgId: string, keyId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('org_api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Revokes a key of any owner. For operators, who have only the key's id. */
export async function revokeAnyKey(db: Db, keyId: string): Promise<boolean> {
  const [org, partner] = await Promise.all([
    db
      .updateTable('org_api_keys')
      .set({ revoked_at: sql<Date>`now()` })
      .where('id', '=', keyId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst(),
    db
      .updateTable('partner_api_keys')
      .set({ revoked_at: sql<Date>`now()` })
      .where('id', '=', keyId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst(),
  ]);
  return org.numUpdatedRows + partner.numUpdatedRows > 0n;
}

export async function notifyKeysChanged(db: Db): Promise<void> {
  await sql`notify keys_changed`.execute(db);
}
