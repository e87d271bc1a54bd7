import {
  ActivityFailure,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { CrawlActivities } from '../../activities/crawl.ts';
import type {
  CrawlInput,
  CrawlProgress,
  CrawlRef,
  CrawlResult,
  DatasourceDeletion,
  DatasourceRef,
} from '../../src/crawl/contract.ts';
import { RENDERING, WAKE } from '../../src/temporal/contract.ts';
import { DATABASE_BATCH, SEND_BATCH } from '../activity-options.ts';
import { untilUnchanged } from '../signals.ts';

const BATCHES_PER_RUN = 100;

const wake = defineSignal(WAKE);
const { seedCrawl } = proxyActivities<CrawlActivities>({
  ...SEND_BATCH,
  startToCloseTimeout: '30 minutes',
  summary: 'read robots.txt and sitemaps, queue known pages',
});
const { crawlBatch } = proxyActivities<CrawlActivities>(SEND_BATCH);
const RENDER_BATCH = { ...SEND_BATCH, summary: 'render pages made by scripts in a browser' };
const inBrowser = proxyActivities<CrawlActivities>({
  ...RENDER_BATCH,
  taskQueue: RENDERING,
  scheduleToStartTimeout: '15 minutes',
});
const here = proxyActivities<CrawlActivities>(RENDER_BATCH);
const { finishCrawl } = proxyActivities<CrawlActivities>({
  ...DATABASE_BATCH,
  startToCloseTimeout: '5 minutes',
  summary: 'remove pages that are gone and finish the crawl',
});
const { deleteDatasourceBatch } = proxyActivities<CrawlActivities>({
  ...SEND_BATCH,
  summary: 'delete pages and their knowledge items',
});
const { setCrawlSchedule } = proxyActivities<CrawlActivities>({
  ...DATABASE_BATCH,
  summary: 'sync the crawl schedule with the datasource settings',
});
const { startCrawl } = proxyActivities<CrawlActivities>({ ...DATABASE_BATCH, summary: 'start the scheduled crawl' });

/**
 * Fetches a website, batch after batch, until its queue is empty. The queue is in the database: this workflow only
 * counts batches and waits, for a host's crawl delay or while the datasource is paused.
 */
export async function crawl({ batches: earlier = 0, ...ref }: CrawlInput): Promise<CrawlResult> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });
  if (earlier === 0) await seedCrawl(ref);

  for (let batch = earlier + 1; ; batch++) {
    isWoken = false;
    const summary = `batch ${batch}: fetch pages`;
    let progress = await crawlBatch.executeWithOptions({ ...SEND_BATCH, summary }, [{ ...ref, batch }]);
    setCurrentDetails(describe(progress));
    if (progress.state === 'running' && progress.toRender > 0) {
      progress = await renderBatch({ ...ref, batch });
      setCurrentDetails(describe(progress));
    }
    if (progress.state === 'ended') return { status: 'ended', pages: progress.done, changed: 0, removed: 0 };
    if (progress.state === 'drained') {
      const result = await finishCrawl(ref);
      if (result !== 'requeued') return result;
    }
    if (batch - earlier >= BATCHES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof crawl>({ ...ref, batches: batch });
    }
    if (progress.state === 'paused') await condition(() => isWoken);
    else if (progress.waitMs > 0) {
      await condition(() => isWoken, progress.waitMs, { summary: 'waiting for the host’s crawl delay' });
    }
  }
}

/** Renders pages where browsers are. Where none serves the queue, whoever crawls renders them or records why not. */
async function renderBatch(input: CrawlRef & { batch: number }): Promise<CrawlProgress> {
  try {
    return await inBrowser.renderBatch(input);
  } catch (error) {
    const isUnserved =
      error instanceof ActivityFailure &&
      error.cause instanceof TimeoutFailure &&
      error.cause.timeoutType === 'SCHEDULE_TO_START';
    if (!isUnserved) throw error;
    return here.renderBatch(input);
  }
}

function describe({ state, site, done, queued, trouble }: CrawlProgress): string {
  return [
    `**${site}**: ${state}`,
    `- ${done} done, ${queued} queued`,
    ...(trouble === null ? [] : [`- last error: ${trouble}`]),
  ].join('\n');
}

/** Deletes the pages of a deleted datasource with their knowledge, batch after batch, and then the datasource. */
export async function deleteDatasource({ pages: earlier = 0, ...ref }: DatasourceDeletion): Promise<number> {
  let deleted = earlier;
  for (let batch = 1; ; batch++) {
    const { pages, isDone } = await deleteDatasourceBatch(ref);
    deleted += pages;
    setCurrentDetails(`${deleted} pages deleted`);
    if (isDone) return deleted;
    if (batch >= BATCHES_PER_RUN || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof deleteDatasource>({ ...ref, pages: deleted });
  }
}

/** Creates, updates or deletes the Schedule of a datasource according to its settings. */
export async function syncCrawlSchedule(ref: DatasourceRef): Promise<void> {
  await untilUnchanged(WAKE, () => setCrawlSchedule(ref));
}

/** Starts the scheduled crawl of a datasource. The datasource's Schedule starts this workflow. */
export async function startScheduledCrawl(ref: DatasourceRef): Promise<string | null> {
  return startCrawl(ref);
}
