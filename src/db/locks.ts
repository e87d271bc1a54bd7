import { sql } from 'kysely';
import type { Db } from './connect.ts';

/** Lets one transaction at a time go on from here under this name, until it ends. Names of different things must differ. */
export async function lockName(trx: Db, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
}
