import { sql } from 'kysely';
import type { Db, Trx } from '../../../db/connect.ts';

/** After so long without a report, the platform is asked, and then ever more rarely. */
const NEXT_CHECK = sql`least(greatest((now() - begun_at) / 8, interval '15 minutes'), interval '6 hours')`;

export interface CallToCheck {
  orgId: string;
  id: string;
  providerId: string;
  /** Since its begin. */
  hours: number;
}

/** Records a call until its end is known. A repeated one changes nothing. */
export async function insertCallUnderWay(
  trx: Trx,
  orgId: string,
  { id, providerId }: { id: string; providerId: string },
): Promise<void> {
  await trx
    .insertInto('phone_calls_under_way')
    .values({ org_id: orgId, id, provider_id: providerId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Deletes a call whose end is known. */
export async function deleteCallUnderWay(db: Db, orgId: string, id: string): Promise<void> {
  await db.deleteFrom('phone_calls_under_way').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Claims calls of all orgs without a report, up to a limit. Their next check is later, also if this one fails. */
export async function claimCallsToCheck(db: Db, limit: number): Promise<CallToCheck[]> {
  const { rows } = await sql<CallToCheck>`
    update phone_calls_under_way set check_at = now() + ${NEXT_CHECK}
    where (org_id, id) in (
      select org_id, id from phone_calls_under_way where check_at <= now() order by check_at limit ${limit} for update skip locked
    )
    returning org_id as "orgId", id, provider_id as "providerId",
      extract(epoch from now() - begun_at)::double precision / 3600 as hours
  `.execute(db);
  return rows;
}
