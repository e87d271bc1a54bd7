import { elementAt } from '../checked-access.ts';
import type { Db } from '../db/connect.ts';
import { readSettings } from '../orgs/service.ts';
import { reportRangeOf } from '../report-range.ts';
import {
  type AnalyticsRange,
  countByKey,
  countByPeriod,
  countDecided,
  type MetricCounts,
} from './analytics.queries.ts';
import type { SlaBreakdownQuery, SlaQuery, SlaTrendQuery } from './analytics.schema.ts';

const METRICS = ['first_reply', 'next_reply', 'resolution'] as const;

/**
 * Counts met and breached clocks and their durations. Throws invalid for a range that ends before it begins, or is too
 * long.
 */
export async function getSlaSummary(db: Db, orgId: string, query: SlaQuery) {
  const range = rangeOf(query);
  return { from: range.from, to: range.to, metrics: withAllMetrics(await countDecided(db, orgId, range)) };
}

/** Returns the same counts by period, and of all periods. */
export async function getSlaTrend(db: Db, orgId: string, { granularity, ...query }: SlaTrendQuery) {
  const range = rangeOf(query);
  const { timezone } = await readSettings(db, orgId);
  const { groups, totals } = await countByPeriod(db, orgId, range, { granularity, timeZone: timezone ?? 'UTC' });
  const items = [...Map.groupBy(groups, ({ period_start }) => period_start.getTime()).values()].map((ofPeriod) => ({
    period_start: elementAt(ofPeriod, 0).period_start,
    metrics: withAllMetrics(ofPeriod),
  }));
  return { from: range.from, to: range.to, items, totals: withAllMetrics(totals) };
}

/** Returns the same counts by policy, or by the current team, channel or assignee of the sessions, and of all. */
export async function getSlaBreakdown(db: Db, orgId: string, { group_by, ...query }: SlaBreakdownQuery) {
  const range = rangeOf(query);
  const { groups, totals } = await countByKey(db, orgId, range, group_by);
  const items = [...Map.groupBy(groups, ({ key }) => key)].map(([key, ofKey]) => ({
    key,
    name: ofKey[0]?.name ?? null,
    metrics: withAllMetrics(ofKey),
  }));
  return { from: range.from, to: range.to, items, totals: withAllMetrics(totals) };
}

const rangeOf = ({ from, to, ...rest }: SlaQuery): AnalyticsRange => ({ ...reportRangeOf({ from, to }), ...rest });

const withAllMetrics = (rows: MetricCounts[]) =>
  METRICS.map((metric) => {
    const { met, breached, ...times } = rows.find((row) => row.metric === metric) ?? { ...NO_COUNTS, metric };
    return { ...times, metric, met, breached, compliance: met + breached === 0 ? null : met / (met + breached) };
  });

const NO_COUNTS = { met: 0, breached: 0, p50_seconds: null, p90_seconds: null, p95_seconds: null };
