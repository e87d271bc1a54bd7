import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { SlaRef } from '../contract.ts';

/** How late an evaluation counts as forgotten. */
const OVERDUE_AFTER_SECONDS = 60;

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

/** Returns open sessions of all orgs whose clocks should have been evaluated a minute ago. */
export async function listOverdueSlas(db: Db, after: SlaRef | undefined, limit: number): Promise<SlaRef[]> {
  const { rows } = await sql<SlaRef>`
    select org_id as "orgId", session_id as "sessionId" from session_slas
    where not is_over and next_at < now() - ${OVERDUE_AFTER_SECONDS} * interval '1 second'
      and ${after === undefined ? sql`true` : sql`(org_id, session_id) > (${after.orgId}::uuid, ${after.sessionId}::uuid)`}
    order by org_id, session_id limit ${limit}
  `.execute(db);
  return rows;
}
