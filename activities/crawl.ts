import { Context, getClient } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import type { CrawlDeps } from '../src/knowledge/crawl/context.ts';
import {
  type CrawlRef,
  crawlScheduleIdOf,
  type DatasourceRef,
  START_SCHEDULED_CRAWL,
} from '../src/knowledge/crawl/contract.ts';
import { crawlScheduleOf } from '../src/knowledge/crawl/datasources/service.ts';
import { finishCrawl } from '../src/knowledge/crawl/jobs/finishing.service.ts';
import { startScheduledCrawl } from '../src/knowledge/crawl/jobs/service.ts';
import { seedCrawl } from '../src/knowledge/crawl/queue/seeding.service.ts';
import { crawlBatch } from '../src/knowledge/crawl/visiting/batch.service.ts';
import { deleteSchedule, putSchedule } from '../src/temporal/schedules.ts';

export interface CrawlActivityDeps {
  db: Db;
  crawling: CrawlDeps;
  /** Aborted when the worker is to end: a batch finishes the pages it has under way. */
  stopping: AbortSignal;
}

export type CrawlActivities = ReturnType<typeof createCrawlActivities>;

export const createCrawlActivities = ({ db, crawling, stopping }: CrawlActivityDeps) => {
  const isStopped = () => stopping.aborted || Context.current().cancellationSignal.aborted;
  return {
    /** Fills the queue of a crawl. Run twice, each URL is there once. */
    seedCrawl: (ref: CrawlRef): Promise<void> => seedCrawl(db, crawling, ref, isStopped),

    /** Fetches the next pages of a crawl. Run twice, it takes up what the first run left. */
    crawlBatch: ({ batch, ...ref }: CrawlRef & { batch: number }) =>
      crawlBatch(db, crawling, ref, { batch, isStopped }),

    /** Ends a crawl whose queue is empty. Run twice, the second run finds it ended. */
    finishCrawl: (ref: CrawlRef) => finishCrawl(db, ref),

    /** Begins the crawl of a datasource whose time has come, unless one is under way. */
    startCrawl: (ref: DatasourceRef) => startScheduledCrawl(db, ref),

    /** Has a datasource's Schedule be as its settings say, or not be. Doing it twice does no harm. */
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
