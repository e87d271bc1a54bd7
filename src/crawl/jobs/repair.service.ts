import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../outbox/outbox.ts';
import { hasPendingCommand } from '../../outbox/pending.queries.ts';
import type { ExecutionState } from '../../temporal/executions.ts';
import { CRAWL, type CrawlRef } from '../contract.ts';
import { clearQueue } from '../queue/shared.queries.ts';
import { endCrawl } from './ending.service.ts';
import { wakeCrawl } from './service.ts';
import { lockActiveJob } from './shared.queries.ts';

export { listActiveCrawls } from './shared.queries.ts';

const STOPPED = 'Stopped in Temporal';

export const workflowIdOfCrawl = (ref: CrawlRef): string => CRAWL.workflowId(ref);

/**
 * Mends an active crawl that has no workflow: it is cancelled if the workflow was stopped, and otherwise continued.
 * Returns what was done, or undefined if the crawl has changed meanwhile.
 */
export function mendCrawl(
  db: Db,
  ref: CrawlRef,
  state: Exclude<ExecutionState, 'running'>,
): Promise<'canceled' | 'resumed' | undefined> {
  return inTransaction(db, async (trx) => {
    const { orgId, datasourceId, jobId } = ref;
    const job = await lockActiveJob(trx, orgId, datasourceId);
    if (job?.id !== jobId || (await hasPendingCommand(trx, workflowIdOfCrawl(ref)))) return undefined;
    if (state === 'stopped') {
      await clearQueue(trx, orgId, datasourceId);
      await endCrawl(trx, ref, { status: 'cancelled', error: STOPPED });
      return 'canceled';
    }
    await enqueue(trx, orgId, wakeCrawl(orgId, job));
    return 'resumed';
  });
}
