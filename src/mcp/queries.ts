import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

/** Returns those of some Idempotency-Keys that an org has used within a minute, the latest first. */
export async function listRecentKeys(db: Db, orgId: string, keys: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('idempotency_keys')
    .select('key')
    .where('principal_id', '=', orgId)
    .where('key', '=', sql<string>`any(${keys}::text[])`)
    .where('created_at', '>', sql<Date>`now() - interval '60 seconds'`)
    .orderBy('created_at', 'desc')
    .execute();
  return rows.map(({ key }) => key);
}
