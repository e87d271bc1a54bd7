import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

const ROWS_PER_BATCH = 5_000;

/** Deletes expired answers, a limited number per call. Resolves to the number deleted. */
export async function deleteExpiredResponses(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < now() - interval '24 hours' limit ${ROWS_PER_BATCH}
    ))
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
