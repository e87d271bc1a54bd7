import type { Db } from '../../db/connect.ts';
import { settledBefore } from '../../db/cursor.ts';
import { countMatching, listMatching } from './queries.ts';
import { INSIGHTS_PER_PAGE, type InsightQuery } from './schema.ts';

/**
 * Returns a page of the insights that match. With `updated_after`, changes that an open transaction may still precede are
 * not yet among them, so that a caller who goes on from the latest one misses none.
 */
export async function queryInsights(db: Db, orgId: string, query: InsightQuery) {
  const settled = query.updated_after == null ? null : await settledBefore(db);
  const data = await listMatching(db, orgId, query, settled);
  const total = data[0]?.total ?? (query.page === 1 ? 0 : await countMatching(db, orgId, query, settled));
  return { data, page: query.page, total, totalPages: Math.ceil(total / INSIGHTS_PER_PAGE) };
}
