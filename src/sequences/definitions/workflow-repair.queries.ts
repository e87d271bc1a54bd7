import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { SequenceRef } from '../contract.ts';

/** Returns active sequences of all orgs behind a sequence, in a fixed order. */
export async function listActiveSequences(
  db: Db,
  after: SequenceRef | undefined,
  limit: number,
): Promise<SequenceRef[]> {
  const { rows } = await sql<SequenceRef>`
    select org_id as "orgId", id as "sequenceId" from sequences
    where status = 'active' and deleted_at is null
      and ${after === undefined ? sql`true` : sql`(org_id, id) > (${after.orgId}::uuid, ${after.sequenceId}::uuid)`}
    order by org_id, id limit ${limit}
  `.execute(db);
  return rows;
}
