import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

export type RateLimitKind = 'request' | 'search';

/**
 * Reserves the next slot and returns the wait until then. Slots are `gapMs` apart over all processes. Reserves none if
 * the wait is longer than `mostMs`.
 */
export async function reserveSlot(
  db: Db,
  orgId: string,
  kind: RateLimitKind,
  { gapMs, mostMs }: { gapMs: number; mostMs: number },
): Promise<{ isTaken: boolean; waitMs: number }> {
  const gap = sql`${gapMs} * interval '1 millisecond'`;
  const { rows } = await sql<{ is_taken: boolean; wait_ms: number }>`
    with taken as (
      insert into crm_rate_limits as budget (org_id, kind, next_at) values (${orgId}, ${kind}, clock_timestamp() + ${gap})
      on conflict (org_id, kind) do update set next_at = greatest(budget.next_at, clock_timestamp()) + ${gap}
        where budget.next_at <= clock_timestamp() + ${mostMs} * interval '1 millisecond'
      returning next_at - ${gap} as at
    ), turn as (
      select true as is_taken, at from taken
      union all
      select false, next_at from crm_rate_limits
      where org_id = ${orgId} and kind = ${kind} and not exists (select from taken)
    )
    select is_taken, greatest(0, extract(epoch from at - clock_timestamp()) * 1000)::float8 as wait_ms from turn
  `.execute(db);
  const turn = rows[0] ?? { is_taken: false, wait_ms: mostMs };
  return { isTaken: turn.is_taken, waitMs: Math.ceil(turn.wait_ms) };
}
