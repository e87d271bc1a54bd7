import type { Db, Trx } from '../../db/connect.ts';
import { pipelined } from '../../db/connections/pipeline.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { CrawlRef } from '../contract.ts';
import { findDatasource } from '../datasources/shared.queries.ts';
import { type JobRow, lockJob } from '../jobs/shared.queries.ts';
import {
  countNewLeased,
  countStored,
  type Lease,
  type LeasedPage,
  leasePages,
  refuseRemaining,
} from '../queue/shared.queries.ts';
import { incrementCounts } from './shared.queries.ts';

const PAGES_PER_LEASE = 50;
/** A browser may need some seconds for each. */
const RENDERED_PER_LEASE = 10;

/**
 * Returns a function that claims the next pages for a batch. Once the datasource has reached its page limit, it refuses the
 * rest.
 */
export function createClaims(db: Db, ref: CrawlRef, lease: Lease): () => Promise<LeasedPage[]> {
  const limit = lease.isRendering ? RENDERED_PER_LEASE : PAGES_PER_LEASE;
  const countPages = createStoredCount(ref);
  return () =>
    inTransaction(db, async (trx) => {
      const pipeline = await pipelined(trx);
      const [job, datasource, underWay] = await Promise.all([
        lockJob(pipeline, ref.orgId, ref.datasourceId, ref.jobId),
        findDatasource(pipeline, ref.orgId, ref.datasourceId),
        countNewLeased(pipeline, ref, lease.batch),
      ]);
      if (job === undefined || datasource === undefined || datasource.status === 'paused') return [];
      if (datasource.page_limit === null) return leasePages(trx, ref, lease, { limit, room: limit });
      const free = datasource.page_limit - underWay;
      const room = Math.max(0, free - (await countPages(trx, job, free - limit)));
      const pages = await leasePages(trx, ref, lease, { limit, room });
      if (pages.length > 0) return pages;
      const isFull = room === 0 && underWay === 0;
      if (isFull) {
        const refused = await refuseRemaining(trx, ref);
        await incrementCounts(trx, ref, { completed: refused, overLimit: refused });
      }
      return [];
    });
}

/**
 * Returns a function that counts the stored pages of a datasource, but only when it matters, as this takes longer the more
 * there are: it returns their number, or a higher one if that does not exceed `enough`: the last count and the pages completed
 * since then, each of which has stored one at most. The transaction has locked the job.
 */
function createStoredCount({ orgId, datasourceId }: CrawlRef) {
  /** The last count, and the pages that the crawl had completed then. */
  let last: { stored: number; completed: number } | undefined;
  return async (trx: Trx, { completed_pages: completed }: JobRow, enough: number): Promise<number> => {
    const atMost = last === undefined ? Number.POSITIVE_INFINITY : last.stored + completed - last.completed;
    if (atMost <= enough) return atMost;
    const stored = await countStored(trx, orgId, datasourceId);
    last = { stored, completed };
    return stored;
  };
}
