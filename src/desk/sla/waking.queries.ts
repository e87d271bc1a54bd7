import type { Db } from '../../db/connect.ts';

export async function isUnderPolicy(db: Db, orgId: string, sessionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('session_slas')
    .select('policy_id')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row !== undefined;
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
