import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { onlyRow } from '../db/rows.ts';

/** Counts the waiting rows, up to 10,000. */
export async function countOutbox(db: Db): Promise<number> {
  const counted = await sql<{ count: number }>`
    select count(*) as count from (select from outbox limit 10000) as waiting
  `.execute(db);
  return onlyRow(counted).count;
}
