import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import type { AiModelCallsTable } from './table.ts';

/** Serializes the reservations of an org with budgets, so that together they spend no more than what is left. */
export const lockBudgets = (trx: Trx, orgId: string): Promise<void> => lockName(trx, `ai budgets ${orgId}`);

export async function insertCall(
  db: Db,
  call: Pick<
    AiModelCallsTable,
    'org_id' | 'id' | 'session_id' | 'turn_id' | 'purpose' | 'model' | 'reserved_tokens'
  > & { reserved_cost: number },
): Promise<void> {
  await db.insertInto('ai_model_calls').values(call).execute();
}

/** What was spent of each budget, calls under way included. */
export type Spent = Record<'turn' | 'session' | 'day' | 'month', { tokens: number; cost: number }>;

/** Returns what a turn, its session and the org have spent. A turn without a session is all that its session has. */
export async function getSpent(
  db: Db,
  orgId: string,
  { turnId, sessionId }: { turnId: string | null; sessionId: string | null },
): Promise<Spent> {
  const tokens = sql`coalesce(input + output, reserved_tokens)`;
  const cost = sql`coalesce(cost, reserved_cost)`;
  const ofTurn = sql`turn_id = ${turnId}::uuid`;
  const { rows } = await sql<{ scope: keyof Spent; tokens: number; cost: number }>`
    select 'turn' as scope, coalesce(sum(${tokens}), 0)::float8 as tokens, coalesce(sum(${cost}), 0)::float8 as cost
    from ai_model_calls where org_id = ${orgId} and ${ofTurn}
    union all
    select 'session', coalesce(sum(${tokens}), 0)::float8, coalesce(sum(${cost}), 0)::float8
    from ai_model_calls where org_id = ${orgId} and ${sessionId === null ? ofTurn : sql`session_id = ${sessionId}::uuid`}
    union all
    select 'day', coalesce(sum(input + output), 0)::float8, coalesce(sum(cost), 0)::float8
    from ai_usage where org_id = ${orgId} and day = (now() at time zone 'UTC')::date
    union all
    select 'month', coalesce(sum(input + output), 0)::float8, coalesce(sum(cost), 0)::float8
    from ai_usage where org_id = ${orgId} and day >= date_trunc('month', now() at time zone 'UTC')::date
    union all
    select scope, coalesce(sum(reserved_tokens), 0)::float8, coalesce(sum(reserved_cost), 0)::float8
    from ai_model_calls, (values ('day'), ('month')) as scopes (scope)
    where org_id = ${orgId} and settled_at is null group by scope
  `.execute(db);
  const spent: Spent = {
    turn: { tokens: 0, cost: 0 },
    session: { tokens: 0, cost: 0 },
    day: { tokens: 0, cost: 0 },
    month: { tokens: 0, cost: 0 },
  };
  for (const row of rows) {
    spent[row.scope].tokens += row.tokens;
    spent[row.scope].cost += row.cost;
  }
  return spent;
}

/** A level that an org's budget has reached. */
export interface BudgetNotice {
  budget: 'day' | 'month';
  level: 'warning' | 'exhausted';
  allowance: { tokens: number | null; cost: number | null };
}

/** Notes a level of a budget. Returns the first day of its period, or undefined if it was noted before. */
export async function insertNotice(
  trx: Trx,
  orgId: string,
  { budget, level, allowance }: BudgetNotice,
): Promise<string | undefined> {
  const { rows } = await sql<{ period: string }>`
    insert into ai_budget_notices (org_id, budget, period, level, allowance)
    values (${orgId}, ${budget}, date_trunc(${budget}, now() at time zone 'UTC')::date, ${level}, ${JSON.stringify(allowance)})
    on conflict do nothing
    returning to_char(period, 'YYYY-MM-DD') as period
  `.execute(trx);
  return rows[0]?.period;
}

/** Deletes some notices of past periods, and returns their number. */
export async function deleteOldNotices(db: Db, { olderThanDays, limit }: { olderThanDays: number; limit: number }) {
  const { numAffectedRows } = await sql`
    delete from ai_budget_notices where ctid in (
      select ctid from ai_budget_notices where period < now() - ${olderThanDays} * interval '1 day' limit ${limit}
    )
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** How a call ended. */
export interface Settlement {
  input: number;
  output: number;
  cached: number;
  isEstimated: boolean;
  cost: number;
  problem: string | null;
  requestId: string | null;
  latencyMs: number | null;
}

/** Settles a call and adds it to the sums of the day on which it was reserved. A settled one stays as it is. */
export async function settleCall(db: Db, orgId: string, id: string, end: Settlement): Promise<void> {
  await sql`
    with settled as (
      update ai_model_calls set input = ${end.input}, output = ${end.output}, cached = ${end.cached},
        is_estimated = ${end.isEstimated}, cost = ${end.cost}, problem = ${end.problem}, request_id = ${end.requestId},
        latency_ms = ${end.latencyMs}, settled_at = now()
      where org_id = ${orgId} and id = ${id} and settled_at is null
      returning *
    )
    ${addToUsage}
  `.execute(db);
}

/**
 * Settles calls whose process ended before it knew their cost, with what was reserved: the provider may have charged it.
 * Returns their number, at most `limit`.
 */
export async function settleLostCalls(db: Db, { olderThanMs, limit }: { olderThanMs: number; limit: number }) {
  const { numAffectedRows } = await sql`
    with lost as (
      select org_id, id from ai_model_calls
      where settled_at is null and created_at < now() - ${olderThanMs} * interval '1 ms'
      order by created_at limit ${limit} for update skip locked
    ), settled as (
      update ai_model_calls as call set input = reserved_tokens, output = 0, cached = 0, is_estimated = true,
        cost = reserved_cost, problem = 'lost', settled_at = now()
      from lost where call.org_id = lost.org_id and call.id = lost.id
      returning call.*
    )
    ${addToUsage}
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

const addToUsage = sql`
  insert into ai_usage (org_id, day, model, purpose, calls, failed_calls, estimated_calls, input, output, cached, cost)
  select org_id, (created_at at time zone 'UTC')::date, model, purpose, count(*), count(problem),
    count(*) filter (where is_estimated), sum(input), sum(output), sum(cached), sum(cost)
  from settled group by 1, 2, 3, 4
  order by 1, 2, 3, 4
  on conflict (org_id, day, model, purpose) do update set
    calls = ai_usage.calls + excluded.calls,
    failed_calls = ai_usage.failed_calls + excluded.failed_calls,
    estimated_calls = ai_usage.estimated_calls + excluded.estimated_calls,
    input = ai_usage.input + excluded.input,
    output = ai_usage.output + excluded.output,
    cached = ai_usage.cached + excluded.cached,
    cost = ai_usage.cost + excluded.cost
`;

/** Deletes some settled calls older than this, of sessions that need them no more, and returns their number. */
export async function deleteOldCalls(db: Db, { olderThanDays, limit }: { olderThanDays: number; limit: number }) {
  const { numAffectedRows } = await sql`
    delete from ai_model_calls where (org_id, id) in (
      select org_id, id from ai_model_calls where settled_at < now() - ${olderThanDays} * interval '1 day' limit ${limit}
    )
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Returns the sums of days, by day, model or purpose. */
export async function listUsage(
  db: Db,
  orgId: string,
  { from, to, groupBy }: { from: string; to: string; groupBy: 'day' | 'model' | 'purpose' },
) {
  const group = sql.ref(groupBy);
  const { rows } = await sql<{
    group: string;
    calls: number;
    failed_calls: number;
    estimated_calls: number;
    input: number;
    output: number;
    cached: number;
    cost: number;
  }>`
    select ${group}::text as "group", sum(calls)::float8 as calls, sum(failed_calls)::float8 as failed_calls,
      sum(estimated_calls)::float8 as estimated_calls, sum(input)::float8 as input, sum(output)::float8 as output,
      sum(cached)::float8 as cached, sum(cost)::float8 as cost
    from ai_usage where org_id = ${orgId} and day between ${from}::date and ${to}::date
    group by 1 order by 1
  `.execute(db);
  return rows;
}
