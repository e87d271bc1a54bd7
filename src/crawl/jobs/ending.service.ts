import type { Trx } from '../../db/connect.ts';
import { announce } from '../../outbox/announcing.ts';
import type { CrawlRef } from '../contract.ts';
import { endJob } from './shared.queries.ts';

/** Ends a crawl, and announces it. */
export async function endCrawl(trx: Trx, ref: CrawlRef, end: Parameters<typeof endJob>[2]): Promise<void> {
  await endJob(trx, ref, end);
  const payload = { datasource_id: ref.datasourceId };
  await announce(trx, ref.orgId, [{ type: 'crawl-finished', subject_id: ref.jobId, payload }]);
}
