import { sql, type Updateable } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import type { InsightsTable } from '../table.ts';

/** Reopens those insights with a statement from after their resolution. Returns each with the session. */
export async function reopenOccurred(
  trx: Trx,
  orgId: string,
  insightIds: string[],
): Promise<{ id: string; session_id: string }[]> {
  const { rows } = await sql<{ id: string; session_id: string }>`
    update insights as insight set status = 'unresolved', resolved_at = null, resolved_by = null, reopened_because = latest.session_id,
      updated_at = now()
    from unnest(${insightIds}::uuid[]) as wanted (id) cross join lateral (
      select session_id, said_at from insight_statements
      where org_id = ${orgId} and insight_id = wanted.id order by said_at desc, id desc limit 1
    ) as latest
    where insight.org_id = ${orgId} and insight.id = wanted.id and insight.status = 'resolved' and latest.said_at > insight.resolved_at
    returning insight.id, latest.session_id
  `.execute(trx);
  return rows;
}

export async function updateInsight(
  trx: Trx,
  orgId: string,
  id: string,
  changes: Omit<Updateable<InsightsTable>, 'org_id' | 'id' | 'updated_at'>,
): Promise<void> {
  await trx
    .updateTable('insights')
    .set({ ...changes, updated_at: sql<Date>`greatest(updated_at, now())` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Resolves an insight at the database's time. Messages are timed by it too. */
export async function resolveNow(trx: Trx, orgId: string, id: string, keyId: string): Promise<void> {
  await sql`
    update insights set status = 'resolved', resolved_at = now(), resolved_by = ${keyId}, reopened_because = null, updated_at = now()
    where org_id = ${orgId} and id = ${id}
  `.execute(trx);
}
