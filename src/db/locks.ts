import { sql } from 'kysely';
import type { Trx } from './connect.ts';

/** Lets one transaction at a time go on from here under this name, until it ends. Names of different things must differ. */
export async function lockName(trx: Trx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
}
