import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { Brand } from './schema.ts';

/** Returns the name, the language and the brand of an org. */
export const findBrandedOrg = (db: Db, orgId: string) =>
  db
    .selectFrom('orgs')
    .select(['name', 'language'])
    .select(sql<Brand | null>`settings -> 'brand'`.as('brand'))
    .where('id', '=', orgId)
    .executeTakeFirst();
