import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { onlyRow } from '../../db/rows.ts';

/** Counts contacts who fit a condition, and those of them who are or were enrolled in a sequence, up to a limit. */
export async function countMatching(
  db: Db,
  orgId: string,
  sequenceId: string,
  { condition, limit }: { condition: Expression<SqlBool>; limit: number },
): Promise<{ matching: number; enrolled: number }> {
  const counted = await sql<{ matching: number; enrolled: number }>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    select count(*) as matching, count(*) filter (where is_enrolled) as enrolled from (
      select exists (
        select from enrollments
        where enrollments.org_id = ${orgId} and enrollments.sequence_id = ${sequenceId} and enrollments.contact_id = contacts.id
      ) as is_enrolled
      from contacts where contacts.org_id = ${orgId} and ${condition} limit ${limit}
    ) as found
  `.execute(db);
  return onlyRow(counted);
}
