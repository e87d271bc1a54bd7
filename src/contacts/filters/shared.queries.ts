import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/** Returns the org's country: numbers without a country code in a filter are from there. */
export async function findCountry(db: Db, orgId: string): Promise<string | undefined> {
  const org = await db
    .selectFrom('orgs')
    .select(sql<string | null>`settings ->> 'country'`.as('country'))
    .where('id', '=', orgId)
    .executeTakeFirst();
  return org?.country ?? undefined;
}
