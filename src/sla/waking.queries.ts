import { type SqlBool, sql } from 'kysely';
import type { Db } from '../db/connect.ts';

/** Returns the sessions that are under a policy. */
export async function listSessionsUnderPolicy(db: Db, orgId: string, sessionIds: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('session_slas')
    .select('session_id')
    .where('org_id', '=', orgId)
    .where(sql<SqlBool>`session_id = any(${sessionIds}::uuid[])`)
    .execute();
  return rows.map(({ session_id }) => session_id);
}

/** Returns the open sessions under a policy, in order of id. */
export async function listOpenSessionsUnder(
  db: Db,
  orgId: string,
  policyId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('session_slas')
    .select('session_id')
    .where('org_id', '=', orgId)
    .where('policy_id', '=', policyId)
    .where('is_over', '=', false)
    .where('session_id', '>', after)
    .orderBy('session_id')
    .limit(limit)
    .execute();
  return rows.map(({ session_id }) => session_id);
}
