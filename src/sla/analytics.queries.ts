import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { REPORT } from '../db/connections/preparing-client.ts';
import { firstDayOf, periodAt } from '../db/periods.ts';
import type { SlaMetric } from './timelines.rules.ts';

export interface AnalyticsRange {
  from: Date;
  to: Date;
  policy_id?: string | undefined;
  team_id?: string | undefined;
  channel?: string | undefined;
}

export interface MetricCounts {
  metric: SlaMetric;
  met: number;
  breached: number;
  p50_seconds: number | null;
  p90_seconds: number | null;
  p95_seconds: number | null;
}

const METRICS: readonly SlaMetric[] = ['first_reply', 'next_reply', 'resolution'];
const METRIC_NAMES = sql.join(METRICS.map((metric) => sql.lit(metric)));

/** What is counted of a clock, sorted by the number of its metric. One that was not stopped has no duration. */
const CLOCK_COLUMNS = sql`array_position(array[${METRIC_NAMES}], clock.metric) as metric_number, clock.outcome,
  case when clock.stopped_at is not null then clock.elapsed_seconds end as elapsed_seconds`;

const COUNT_COLUMNS = sql`(array[${METRIC_NAMES}])[clock.metric_number] as metric, count(*) filter (where clock.outcome = 'met') as met,
  count(*) filter (where clock.outcome = 'breached') as breached,
  percentile_cont(0.5) within group (order by clock.elapsed_seconds) as p50_seconds,
  percentile_cont(0.9) within group (order by clock.elapsed_seconds) as p90_seconds,
  percentile_cont(0.95) within group (order by clock.elapsed_seconds) as p95_seconds`;

/** The clocks decided in the range. */
const decidedClocks = (
  orgId: string,
  { from, to, policy_id, team_id, channel }: AnalyticsRange,
): RawBuilder<unknown> => {
  const narrower = [
    policy_id !== undefined && sql`and clock.policy_id = ${policy_id}`,
    team_id !== undefined && sql`and clock.team_id = ${team_id}`,
    channel !== undefined && sql`and clock.channel = ${channel}`,
  ].filter((condition) => condition !== false);
  return sql`from sla_clocks as clock
    where clock.org_id = ${orgId} and clock.decided_at >= ${from} and clock.decided_at < ${to} ${sql.join(narrower, sql` `)}`;
};

export async function countDecided(db: Db, orgId: string, range: AnalyticsRange): Promise<MetricCounts[]> {
  const { rows } = await sql<MetricCounts>`
    ${sql.raw(REPORT)} with decided as (select ${CLOCK_COLUMNS} ${decidedClocks(orgId, range)})
    select ${COUNT_COLUMNS} from decided as clock group by clock.metric_number
  `.execute(db);
  return rows;
}

type Granularity = 'day' | 'week' | 'month';

/** Counts by period or key, and of all clocks. */
export interface GroupedCounts<Group> {
  groups: (MetricCounts & Group)[];
  totals: MetricCounts[];
}

/** Counts decided clocks by period of the zone's wall clock, and all of them, in one pass. */
export async function countByPeriod(
  db: Db,
  orgId: string,
  range: AnalyticsRange,
  { granularity, timeZone }: { granularity: Granularity; timeZone: string },
): Promise<GroupedCounts<{ period_start: Date }>> {
  const divided = { ...range, timeZone };
  const key = periodAt(sql`clock.decided_at`, granularity, divided);
  return grouped(
    await sql<MetricCounts & { is_total: boolean; period_start: Date }>`
      ${sql.raw(REPORT)} with decided as (select ${CLOCK_COLUMNS}, ${key} as key ${decidedClocks(orgId, range)})
      select ${firstDayOf(sql`clock.key`, granularity, divided)}::timestamp at time zone ${timeZone}::text as period_start, grouping(clock.key) = 1 as is_total, ${COUNT_COLUMNS}
      from decided as clock group by grouping sets ((clock.metric_number, clock.key), (clock.metric_number)) order by period_start
    `.execute(db),
  );
}

const grouped = <Row extends { is_total: boolean }>({ rows }: { rows: Row[] }) => ({
  groups: rows.filter(({ is_total }) => !is_total),
  totals: rows.filter(({ is_total }) => is_total),
});

const GROUP_KEYS = {
  policy: sql`clock.policy_id`,
  team: sql`clock.team_id`,
  channel: sql`clock.channel`,
  assignee: sql`clock.assignee_id`,
};

const nameOf = (orgId: string) => ({
  policy: sql`(select name from sla_policies as policy where policy.org_id = ${orgId} and policy.id = clock.key)`,
  team: sql`(select name from teams as team where team.org_id = ${orgId} and team.id = clock.key)`,
  channel: sql`clock.key`,
  assignee: sql`(select name from members as member where member.org_id = ${orgId} and member.user_id = clock.key)`,
});

/** Counts decided clocks by a property of theirs or of their session, and all of them, in one pass. */
export async function countByKey(
  db: Db,
  orgId: string,
  range: AnalyticsRange,
  groupBy: keyof typeof GROUP_KEYS,
): Promise<GroupedCounts<{ key: string | null; name: string | null }>> {
  return grouped(
    await sql<MetricCounts & { is_total: boolean; key: string | null; name: string | null }>`
      ${sql.raw(REPORT)} with decided as (select ${CLOCK_COLUMNS}, ${GROUP_KEYS[groupBy]} as key ${decidedClocks(orgId, range)})
      select clock.key::text as key, ${nameOf(orgId)[groupBy]} as name, grouping(clock.key) = 1 as is_total, ${COUNT_COLUMNS}
      from decided as clock group by grouping sets ((clock.metric_number, clock.key), (clock.metric_number)) order by clock.key::text nulls last
    `.execute(db),
  );
}
