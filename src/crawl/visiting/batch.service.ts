import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { CrawlBatch, CrawlDeps } from '../context.ts';
import type { CrawlProgress, CrawlRef } from '../contract.ts';
import { type DatasourceRow, findDatasource, updateIncludesWww } from '../datasources/shared.queries.ts';
import { findHostWaitMs } from '../fetching/hosts.shared.queries.ts';
import { createRobotsFiles } from '../fetching/robots-files.ts';
import { findJob, type JobRow, lockJob } from '../jobs/shared.queries.ts';
import { findQueueCapacity } from '../queue/discovered-links.shared.queries.ts';
import { MAX_KNOWN_URLS } from '../queue/limits.rules.ts';
import { findQueueStatus, type Lease, type LeasedPage, listLeased, requeueOrphans } from '../queue/shared.queries.ts';
import { type SiteSettings, siteOf } from '../scope/rules.ts';
import { withdrawSoftNotFound } from '../similarity/not-found.service.ts';
import { createClaims } from './claims.service.ts';
import { visitAll } from './visit-pool.ts';

/** Incremented when the extractor's results change. */
const EXTRACTION_VERSION = 4;
/** A fast batch claims more pages for this long. */
const MAX_BATCH_MS = 10_000;
const MAX_ROBOTS_AGE_MS = 24 * 60 * 60_000;
const MIN_WAIT_MS = 1_000;

/**
 * Visits the next pages of a crawl. With `isRendering`, these are the pages that wait for a browser. A repeated run
 * continues with the pages that the first left, and keeps its stored results. `isStopped` ends the batch after the
 * visits in progress.
 */
export async function crawlBatch(
  db: Db,
  deps: CrawlDeps,
  ref: CrawlRef,
  { batch, isRendering = false, isStopped }: { batch: number; isRendering?: boolean; isStopped: () => boolean },
): Promise<CrawlProgress> {
  const found = await findActive(db, ref);
  if (found === undefined) return { ...EMPTY_PROGRESS, state: 'ended' };
  const { datasource, job } = found;
  if (datasource.status === 'paused') return progressOf(db, ref, { datasource, state: 'paused' });

  const endAt = performance.now() + MAX_BATCH_MS;
  const lease = { batch, isRendering };
  const unvisited = await listUnfinished(db, ref, lease);
  const visiting = await createBatch(db, deps, ref, { ...lease, datasource, job });
  const claimNext = createClaims(db, ref, lease);
  const claim = async () => {
    if (unvisited.length > 0) return unvisited.splice(0);
    const isOver = performance.now() > endAt || visiting.waitUntil !== null || isStopped();
    return isOver ? undefined : claimNext();
  };
  await visitAll(visiting, claim, isStopped);
  if (visiting.isFull) await requeueOrphanedDuplicates(db, ref);
  if (visiting.isFull && !isStopped()) await withdrawSoftNotFound(visiting);
  const waitMs = visiting.waitUntil === null ? 0 : visiting.waitUntil - performance.now();
  return progressOf(db, ref, { datasource, state: 'running', waitMs, trouble: visiting.lastProblem });
}

async function findActive(db: Db, ref: CrawlRef): Promise<{ datasource: DatasourceRow; job: JobRow } | undefined> {
  const [datasource, job] = await Promise.all([
    findDatasource(db, ref.orgId, ref.datasourceId),
    findJob(db, ref.orgId, ref.datasourceId, ref.jobId),
  ]);
  const isActive = job?.status === 'scraping';
  return datasource === undefined || job === undefined || !isActive ? undefined : { datasource, job };
}

/** Returns the pages left by an earlier attempt of the batch. */
function listUnfinished(db: Db, ref: CrawlRef, lease: Lease): Promise<LeasedPage[]> {
  return inTransaction(db, async (trx) => {
    const job = await lockJob(trx, ref.orgId, ref.datasourceId, ref.jobId);
    return job === undefined ? [] : listLeased(trx, ref, lease);
  });
}

async function createBatch(
  db: Db,
  deps: CrawlDeps,
  ref: CrawlRef,
  { batch, isRendering, datasource, job }: Lease & { datasource: DatasourceRow; job: JobRow },
): Promise<CrawlBatch> {
  const capacity = await findQueueCapacity(db, ref.orgId, ref.datasourceId);
  let settings: SiteSettings = datasource;
  const visiting: CrawlBatch = {
    db,
    deps,
    ref,
    batch,
    isFull: job.kind === 'full',
    site: siteOf(datasource),
    scripted: datasource.rendering === 'never' ? 'left_out' : isRendering ? 'rendered' : 'deferred',
    fetchedWith: `${EXTRACTION_VERSION}.${datasource.settings_version}`,
    robots: createRobotsFiles(db, deps.egress, { maxAgeMs: MAX_ROBOTS_AGE_MS }),
    capacity: {
      queued: Math.max(0, MAX_KNOWN_URLS.queued - capacity.queued),
      refused: Math.max(0, MAX_KNOWN_URLS.refused - capacity.refused),
    },
    queuedLinks: new Set(),
    deferralOf: createDeferrals(db),
    async includeWww() {
      settings = { ...settings, includes_www: true };
      visiting.site = siteOf(settings);
      await updateIncludesWww(db, ref.orgId, ref.datasourceId);
    },
    ignoreParameter(name) {
      settings = { ...settings, ignored_parameters: [...settings.ignored_parameters, name] };
      visiting.site = siteOf(settings);
    },
    requiredParameters: new Set(),
    lastProblem: null,
    waitUntil: null,
  };
  return visiting;
}

/** Looks each host up once. */
function createDeferrals(db: Db): CrawlBatch['deferralOf'] {
  const deferrals = new Map<string, Promise<number>>();
  return (host) => {
    const deferral = deferrals.get(host) ?? findHostWaitMs(db, host);
    deferrals.set(host, deferral);
    return deferral;
  };
}

/**
 * Requeues duplicates at the end of the queue if their originals turned out to be missing. They are then stored as
 * separate pages.
 */
function requeueOrphanedDuplicates(db: Db, ref: CrawlRef): Promise<void> {
  return inTransaction(db, async (trx) => {
    if ((await lockJob(trx, ref.orgId, ref.datasourceId, ref.jobId)) === undefined) return;
    const { count } = await findQueueStatus(trx, ref.orgId, ref.datasourceId);
    if (count === 0) await requeueOrphans(trx, ref);
  });
}

const EMPTY_PROGRESS = { site: '', done: 0, queued: 0, trouble: null, waitMs: 0, toRender: 0 } as const;

async function progressOf(
  db: Db,
  ref: CrawlRef,
  {
    datasource,
    state,
    waitMs = 0,
    trouble = null,
  }: { datasource: DatasourceRow; state: 'running' | 'paused'; waitMs?: number; trouble?: string | null },
): Promise<CrawlProgress> {
  const [job, queue] = await Promise.all([
    findJob(db, ref.orgId, ref.datasourceId, ref.jobId),
    findQueueStatus(db, ref.orgId, ref.datasourceId),
  ]);
  const isOver = job === undefined || job.status !== 'scraping';
  const idleMs = Math.max(waitMs, queue.dueInMs ?? 0);
  return {
    state: isOver ? 'ended' : state === 'running' && queue.count === 0 ? 'drained' : state,
    site: datasource.url,
    done: job?.completed_pages ?? 0,
    queued: queue.count,
    trouble,
    toRender: queue.toRender,
    waitMs: idleMs > 0 ? Math.max(idleMs, MIN_WAIT_MS) : 0,
  };
}
