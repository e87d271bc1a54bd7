import { elementAt } from '../../collections/checked-access.ts';
import type { Db } from '../../db/connect.ts';
import { readDoubles } from '../../db/doubles.ts';
import { type Percentiles, percentilesOf } from '../../db/percentiles.ts';
import { readSettings } from '../../orgs/service.ts';
import { reportRangeOf } from '../../reports/range.ts';
import { type AnalyticsRange, countByKey, countByPeriod, countDecided, type MetricCounts } from './queries.ts';
import type { SlaBreakdownQuery, SlaQuery, SlaTrendQuery } from './schema.ts';

const METRICS = ['first_reply', 'next_reply', 'resolution'] as const;
const FRACTIONS = [0.5, 0.9, 0.95];

/**
 * Counts met and breached clocks and their durations. Throws invalid for a range that ends before it begins, or is too
 * long.
 */
export async function getSlaSummary(db: Db, orgId: string, query: SlaQuery) {
  const range = rangeOf(query);
  const { totals } = await metricsOf([await countDecided(db, orgId, range)]);
  return { from: range.from, to: range.to, metrics: totals };
}

/** Returns the same counts by period, and of all periods. */
export async function getSlaTrend(db: Db, orgId: string, { granularity, ...query }: SlaTrendQuery) {
  const range = rangeOf(query);
  const { timezone } = await readSettings(db, orgId);
  const counts = await countByPeriod(db, orgId, range, { granularity, timeZone: timezone ?? 'UTC' });
  const periods = [...Map.groupBy(counts, ({ period_start }) => period_start.getTime()).values()];
  const { groups, totals } = await metricsOf(periods);
  const items = periods.map((ofPeriod, nth) => ({
    period_start: elementAt(ofPeriod, 0).period_start,
    metrics: elementAt(groups, nth),
  }));
  return { from: range.from, to: range.to, items, totals };
}

/** Returns the same counts by policy, or by the current team, channel or assignee of the sessions, and of all. */
export async function getSlaBreakdown(db: Db, orgId: string, { group_by, ...query }: SlaBreakdownQuery) {
  const range = rangeOf(query);
  const byKey = [...Map.groupBy(await countByKey(db, orgId, range, group_by), ({ key }) => key)];
  const { groups, totals } = await metricsOf(byKey.map(([, ofKey]) => ofKey));
  const items = byKey.map(([key, ofKey], nth) => ({
    key,
    name: ofKey[0]?.name ?? null,
    metrics: elementAt(groups, nth),
  }));
  return { from: range.from, to: range.to, items, totals };
}

const rangeOf = ({ from, to, ...rest }: SlaQuery): AnalyticsRange => ({ ...reportRangeOf({ from, to }), ...rest });

/** Returns the metrics of each group, and of all. */
async function metricsOf(groups: MetricCounts[][]) {
  const byMetric: Awaited<ReturnType<typeof metricOf>>[] = [];
  for (const metric of METRICS) byMetric.push(await metricOf(metric, groups));
  const metricsAt = (nth: number) => byMetric.map((metrics) => elementAt(metrics, nth));
  return { groups: groups.map((_, nth) => metricsAt(nth)), totals: metricsAt(groups.length) };
}

/** Returns one metric of each group, and last of all. */
async function metricOf(metric: (typeof METRICS)[number], groups: MetricCounts[][]) {
  const counts = groups.map((rows) => rows.find((row) => row.metric === metric) ?? NO_COUNTS);
  const percentiles = await percentilesOf(readDoubles(counts.map(({ seconds }) => seconds)), FRACTIONS);
  const sumOf = (outcome: 'met' | 'breached') => counts.reduce((sum, one) => sum + one[outcome], 0);
  const all = { met: sumOf('met'), breached: sumOf('breached') };
  return [...counts, all].map(({ met, breached }, nth) => ({
    metric,
    met,
    breached,
    compliance: met + breached === 0 ? null : met / (met + breached),
    ...secondsOf(elementAt(percentiles, nth)),
  }));
}

const secondsOf = ([p50 = null, p90 = null, p95 = null]: Percentiles) => ({
  p50_seconds: p50,
  p90_seconds: p90,
  p95_seconds: p95,
});

const NO_COUNTS = { met: 0, breached: 0, seconds: null };
