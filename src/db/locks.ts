import { sql } from 'kysely';
import type { Trx } from './connect.ts';

/**
 * Locks the name until the transaction ends. Other transactions wait here for the same name. Different subjects need
 * different names.
 */
export async function lockName(trx: Trx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
}
