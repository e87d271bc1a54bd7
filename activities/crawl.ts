import { Context, getClient } from '@temporalio/activity';
import type { CrawlDeps } from '../src/crawl/context.ts';
import { type CrawlRef, crawlScheduleIdOf, type DatasourceRef, START_SCHEDULED_CRAWL } from '../src/crawl/contract.ts';
import { crawlScheduleOf } from '../src/crawl/datasources/service.ts';
import { deleteNextParts } from '../src/crawl/deletion/service.ts';
import { finishCrawl } from '../src/crawl/jobs/finishing.service.ts';
import { startScheduledCrawl } from '../src/crawl/jobs/service.ts';
import { seedCrawl } from '../src/crawl/queue/seeding.service.ts';
import { crawlBatch } from '../src/crawl/visiting/batch.service.ts';
import type { Db } from '../src/db/connect.ts';
import { deleteSchedule, putSchedule } from '../src/temporal/schedules.ts';

export interface CrawlActivityDeps {
  db: Db;
  crawling: CrawlDeps;
  /** Aborted when the worker shuts down: a batch then finishes its pages in flight. */
  stopping: AbortSignal;
}

export type CrawlActivities = ReturnType<typeof createCrawlActivities>;

export const createCrawlActivities = ({ db, crawling, stopping }: CrawlActivityDeps) => {
  const isStopped = () => stopping.aborted || Context.current().cancellationSignal.aborted;
  return {
    /** Fills the queue of a crawl. Running it twice queues each URL once. */
    seedCrawl: (ref: CrawlRef): Promise<void> => seedCrawl(db, crawling, ref, isStopped),

    /** Fetches the next pages of a crawl. A second run continues after the first. */
    crawlBatch: ({ batch, ...ref }: CrawlRef & { batch: number }) =>
      crawlBatch(db, crawling, ref, { batch, isStopped }),

    /** Renders the next pages of a crawl that wait for a browser. A second run continues after the first. */
    renderBatch: ({ batch, ...ref }: CrawlRef & { batch: number }) =>
      crawlBatch(db, crawling, ref, { batch, isRendering: true, isStopped }),

    /** Ends a crawl with an empty queue. Running it twice changes nothing more. */
    finishCrawl: (ref: CrawlRef) => finishCrawl(db, ref),

    /** Deletes the next parts of a deleted datasource. A second run continues after the first. */
    deleteDatasourceBatch: (ref: DatasourceRef) => deleteNextParts(db, ref, isStopped),

    /** Starts the scheduled crawl of a datasource, unless one is in progress. */
    startCrawl: (ref: DatasourceRef) => startScheduledCrawl(db, ref),

    /**
     * Creates, updates or deletes the Schedule of a datasource according to its settings. Running it twice does no
     * harm.
     */
    async setCrawlSchedule(ref: DatasourceRef): Promise<'set' | 'none'> {
      const schedule = await crawlScheduleOf(db, ref);
      if (schedule === undefined) {
        await deleteSchedule(getClient(), crawlScheduleIdOf(ref));
        return 'none';
      }
      const { name, everyMs, offsetMs } = schedule;
      await putSchedule(getClient(), {
        scheduleId: crawlScheduleIdOf(ref),
        orgId: ref.orgId,
        subjectId: ref.datasourceId,
        times: { everyMs, offsetMs },
        catchupWindow: '365 days',
        summary: `Crawl of "${name.slice(0, 150)}"`,
        contract: START_SCHEDULED_CRAWL,
        input: ref,
      });
      return 'set';
    },
  };
};
