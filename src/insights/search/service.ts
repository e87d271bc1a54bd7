import type { Db } from '../../db/connect.ts';
import { settledBefore } from '../../db/cursor.ts';
import { countByWeek, countMatching, listMatching } from './queries.ts';
import { INSIGHTS_PER_PAGE, type InsightQuery, TREND_WEEKS } from './schema.ts';

/**
 * Returns a page of the matching insights. With `updated_after`, changes still possibly preceded by an open transaction
 * are left out: a caller continuing from the latest one misses none.
 */
export async function queryInsights(db: Db, orgId: string, query: InsightQuery) {
  const settled = query.updated_after == null ? null : await settledBefore(db);
  const data = await listMatching(db, orgId, query, settled);
  const total = data[0]?.total ?? (query.page === 1 ? 0 : await countMatching(db, orgId, query, settled));
  const trends = query.trend ? { trends: await trendsOf(db, orgId, data) } : {};
  return { data, ...trends, page: query.page, total, totalPages: Math.ceil(total / INSIGHTS_PER_PAGE) };
}

/** Returns the sessions of each insight in each of the last weeks, the latest week last. */
async function trendsOf(db: Db, orgId: string, insights: { id: string }[]): Promise<number[][]> {
  const ids = insights.map(({ id }) => id);
  const { rows } = await countByWeek(db, orgId, ids);
  const counts = new Map(rows.map(({ insight_id, weeks_ago, sessions }) => [`${insight_id} ${weeks_ago}`, sessions]));
  return ids.map((id) =>
    Array.from({ length: TREND_WEEKS }, (_, n) => counts.get(`${id} ${TREND_WEEKS - 1 - n}`) ?? 0),
  );
}
