import type { Db } from '../../db/connect.ts';
import { countMatching, listMatching } from './queries.ts';
import { INSIGHTS_PER_PAGE, type InsightQuery } from './schema.ts';

/** Returns a page of the insights that match. */
export async function queryInsights(db: Db, orgId: string, query: InsightQuery) {
  const data = await listMatching(db, orgId, query);
  const total = data[0]?.total ?? (query.page === 1 ? 0 : await countMatching(db, orgId, query));
  return { data, page: query.page, total, totalPages: Math.ceil(total / INSIGHTS_PER_PAGE) };
}
