import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { MergedPair } from './parts.port.ts';
import type { FurtherKeys, MergeRecord } from './rules.ts';

/** Finds the merge that absorbed a contact. */
export const findMerge = (db: Db, orgId: string, absorbedId: string) =>
  db
    .selectFrom('contact_merges')
    .select(['contact_id', 'result'])
    .where('org_id', '=', orgId)
    .where('absorbed_id', '=', absorbedId)
    .executeTakeFirst();

/** Lists the merges that made contacts what they are, with what identified the absorbed ones. */
export const listMergesInto = (db: Db, orgId: string, contactIds: string[]) =>
  db
    .selectFrom('contact_merges')
    .select(['absorbed_id', 'contact_id', 'email', 'phone_number', 'external_id'])
    .where('org_id', '=', orgId)
    .where(sql<SqlBool>`contact_id = any(${contactIds}::uuid[])`)
    .execute();

/** Returns the contacts that merged ones are now, by the ids of these. Other ids are left out. */
export async function listMergesOf(db: Db, orgId: string, absorbedIds: string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('contact_merges')
    .select(['absorbed_id', 'contact_id'])
    .where('org_id', '=', orgId)
    .where(sql<SqlBool>`absorbed_id = any(${absorbedIds}::uuid[])`)
    .execute();
  return new Map(rows.map(({ absorbed_id, contact_id }) => [absorbed_id, contact_id]));
}

/** Records a merge. What was merged into the absorbed contact before is the other one's too. */
export async function insertMerge(
  trx: Trx,
  orgId: string,
  { fromId, toId }: MergedPair,
  { further, result }: { further: FurtherKeys; result: MergeRecord },
): Promise<void> {
  await sql`
    update contact_merges set contact_id = ${toId}::uuid where org_id = ${orgId} and contact_id = ${fromId}::uuid
  `.execute(trx);
  await trx
    .insertInto('contact_merges')
    .values({ org_id: orgId, absorbed_id: fromId, contact_id: toId, ...further, result: JSON.stringify(result) })
    .execute();
}
