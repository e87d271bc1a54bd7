import type { Trx } from '../../db/connect.ts';
import { removeItems } from '../../knowledge/index/service.ts';
import type { CrawlRef } from '../contract.ts';
import { unstorePages } from '../jobs/finishing.shared.queries.ts';
import type { PageReason } from '../reasons.rules.ts';
import { deleteNewChanges, scheduleRemoval } from './queries.ts';

/**
 * Withdraws stored pages: those of this crawl at once, as if they had never been stored, and those of earlier crawls at
 * its end, like any other removal. The caller has locked the crawl.
 */
export async function withdrawPages(trx: Trx, ref: CrawlRef, ids: string[], reason: PageReason): Promise<void> {
  if (ids.length === 0) return;
  await scheduleRemoval(trx, ref.orgId, ids, reason);
  const fresh = await deleteNewChanges(trx, ref, ids);
  if (fresh.length === 0) return;
  await removeItems(trx, ref.orgId, fresh);
  await unstorePages(trx, ref.orgId, fresh, { areRemoved: false });
}
