import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';

/** Clears the category of insights if it is not one of these. */
export async function clearCategories(trx: Trx, orgId: string, categories: string[]): Promise<void> {
  await sql`
    update insights set category = null, category_by = null, updated_at = now()
    where org_id = ${orgId} and category is not null and category <> all(${categories}::text[])
  `.execute(trx);
}
