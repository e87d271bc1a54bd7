import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/** Lists those of the sessions that are handed off, each with the number of its handoff. */
export const listHandoffNumbers = (db: Db, orgId: string, ids: string[]): Promise<{ id: string; handoffs: number }[]> =>
  db
    .selectFrom('sessions')
    .select(['id', 'handoffs'])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('handoff', 'is not', null)
    .execute();
