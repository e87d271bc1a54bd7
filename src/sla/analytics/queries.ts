import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { REPORT } from '../../db/connections/preparing-client.ts';
import { doublesOf } from '../../db/doubles.ts';
import { divisionOf, firstDayOf, periodAt } from '../../db/periods.ts';
import type { Period } from '../../reports/periods.rules.ts';
import type { SlaMetric } from '../clocks/timelines.rules.ts';

export interface AnalyticsRange {
  from: Date;
  to: Date;
  policy_id?: string | undefined;
  team_id?: string | undefined;
  channel?: string | undefined;
}

/** The decided clocks of one metric. */
export interface MetricCounts {
  metric: SlaMetric;
  met: number;
  breached: number;
  /** The seconds of the clocks that were stopped, for readDoubles. */
  seconds: string | null;
}

const COUNT_COLUMNS = sql`metric, count(*) filter (where outcome = 'met') as met,
  count(*) filter (where outcome = 'breached') as breached, ${doublesOf(sql`elapsed_seconds`)} as seconds`;

/**
 * Selects the clocks decided in the range, each with a key. A clock that was not stopped has no seconds. With `offset '0'`
 * Postgres expects few keys, and lets workers aggregate.
 */
const decidedClocks = (
  orgId: string,
  { from, to, policy_id, team_id, channel }: AnalyticsRange,
  { key, joined = sql`` }: { key: RawBuilder<unknown>; joined?: RawBuilder<unknown> },
): RawBuilder<unknown> => {
  const narrower = [
    policy_id !== undefined && sql`and clock.policy_id = ${policy_id}`,
    team_id !== undefined && sql`and clock.team_id = ${team_id}`,
    channel !== undefined && sql`and clock.channel = ${channel}`,
  ].filter((condition) => condition !== false);
  return sql`(
    select clock.metric, clock.outcome, case when clock.stopped_at is not null then clock.elapsed_seconds end as elapsed_seconds,
      ${key} as key
    from sla_clocks as clock ${joined}
    where clock.org_id = ${orgId} and clock.decided_at >= ${from} and clock.decided_at < ${to} ${sql.join(narrower, sql` `)}
    offset bigint '0'
  ) as decided`;
};

/** Counts decided clocks. */
export async function countDecided(db: Db, orgId: string, range: AnalyticsRange): Promise<MetricCounts[]> {
  const { rows } = await sql<MetricCounts>`
    ${sql.raw(REPORT)} select ${COUNT_COLUMNS} from ${decidedClocks(orgId, range, { key: sql`null` })} group by metric
  `.execute(db);
  return rows;
}

/** Counts decided clocks by period of the zone's wall clock. */
export async function countByPeriod(
  db: Db,
  orgId: string,
  range: AnalyticsRange,
  { granularity, timeZone }: { granularity: Period; timeZone: string },
): Promise<(MetricCounts & { period_start: Date })[]> {
  const divided = { ...range, timeZone };
  const keyed = { key: periodAt(sql`clock.decided_at`), joined: sql`cross join ${divisionOf(granularity, divided)}` };
  const { rows } = await sql<MetricCounts & { period_start: Date }>`
    ${sql.raw(REPORT)}
    select ${firstDayOf(sql`key`, granularity, divided)}::timestamp at time zone ${timeZone}::text as period_start, ${COUNT_COLUMNS}
    from ${decidedClocks(orgId, range, keyed)} group by key, metric order by period_start
  `.execute(db);
  return rows;
}

const GROUP_KEYS = {
  policy: sql`clock.policy_id`,
  team: sql`clock.team_id`,
  channel: sql`clock.channel`,
  assignee: sql`clock.assignee_id`,
};

const nameOf = (orgId: string) => ({
  policy: sql`(select name from sla_policies as policy where policy.org_id = ${orgId} and policy.id = counted.key)`,
  team: sql`(select name from teams as team where team.org_id = ${orgId} and team.id = counted.key)`,
  channel: sql`counted.key`,
  assignee: sql`(select name from members as member where member.org_id = ${orgId} and member.user_id = counted.key)`,
});

/** Counts decided clocks by a property of theirs or of their session. */
export async function countByKey(
  db: Db,
  orgId: string,
  range: AnalyticsRange,
  groupBy: keyof typeof GROUP_KEYS,
): Promise<(MetricCounts & { key: string | null; name: string | null })[]> {
  const { rows } = await sql<MetricCounts & { key: string | null; name: string | null }>`
    ${sql.raw(REPORT)}
    select counted.key::text as key, ${nameOf(orgId)[groupBy]} as name, metric, met, breached, seconds
    from (select key, ${COUNT_COLUMNS} from ${decidedClocks(orgId, range, { key: GROUP_KEYS[groupBy] })} group by key, metric) as counted
    order by counted.key::text nulls last
  `.execute(db);
  return rows;
}
