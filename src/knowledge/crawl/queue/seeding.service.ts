import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Trx } from '../../../db/connect.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { CrawlDeps } from '../context.ts';
import type { CrawlRef } from '../contract.ts';
import { type DatasourceRow, lockDatasource } from '../datasources/queries.ts';
import { reserveHostSlot } from '../fetching/hosts.queries.ts';
import type { Robots } from '../fetching/robots.ts';
import { createRobotsFiles } from '../fetching/robots-files.ts';
import { fetchSitemap } from '../fetching/sitemaps.ts';
import { beginJob, lockJob } from '../jobs/queries.ts';
import type { PageReason } from '../reasons.rules.ts';
import { type Site, siteOf } from '../scope/rules.ts';
import { parsePageUrl } from '../scope/urls.rules.ts';
import { incrementCounts } from '../visiting/queries.ts';
import { type DiscoveredUrl, findQueueCapacity, insertDiscovered } from './discovered-links.queries.ts';
import { discoveredUrlsOf } from './discovered-links.rules.ts';
import { MAX_KNOWN_URLS } from './limits.rules.ts';
import { listWantedPages, queuePages, scheduleRemovals } from './seeding.queries.ts';

const MAX_SITEMAPS = 50;
const URLS_PER_WRITE = 500;
const MAX_SITEMAP_DEPTH = 1;
/** Time limit for all sitemaps together. Other crawls wait for this one meanwhile. */
const MAX_SITEMAPS_MS = 2 * 60_000;
const POLL_MS = 1_000;

/** Fills the queue of a crawl with all URLs known at its start. Idempotent: each URL is queued once. */
export async function seedCrawl(db: Db, deps: CrawlDeps, ref: CrawlRef, isStopped: () => boolean): Promise<void> {
  const begun = await startSeeding(db, ref);
  if (begun === undefined) return;
  const site = siteOf(begun);
  const answer = await createRobotsFiles(db, deps.egress, { maxAgeMs: 0 }).of(site.start);
  await queueDiscovered(db, ref, discoveredUrlsOf(site, [site.start.href], { depth: 0, foundOn: null }));
  if ('robots' in answer) await readSitemaps(db, deps, ref, { site, robots: answer.robots, isStopped });
}

/**
 * Records the start and queues the pages that are stored or asked for. Returns undefined for an ended crawl, and for a crawl of single pages,
 * as these are already queued.
 */
function startSeeding(db: Db, { orgId, datasourceId, jobId }: CrawlRef): Promise<DatasourceRow | undefined> {
  return inTransaction(db, async (trx) => {
    const datasource = await lockDatasource(trx, orgId, datasourceId);
    const job = await lockJob(trx, orgId, datasourceId, jobId);
    if (job === undefined || datasource === undefined) return undefined;
    await beginJob(trx, orgId, datasourceId, jobId);
    if (job.kind === 'pages') return undefined;
    if (job.status === 'pending') await queueWanted(trx, { orgId, datasourceId, jobId }, datasource);
    return datasource;
  });
}

async function queueWanted(
  trx: Trx,
  { orgId, datasourceId, jobId }: CrawlRef,
  datasource: DatasourceRow,
): Promise<void> {
  const site = siteOf(datasource);
  const marks: { id: string; reason: PageReason }[] = [];
  const kept: string[] = [];
  const missing: string[] = [];
  for (const page of await listWantedPages(trx, orgId, datasourceId)) {
    const refusal = refusalOf(site, page);
    const reason = refusal ?? (kept.length < (datasource.page_limit ?? Infinity) ? undefined : 'page_limit');
    if (!page.is_stored) missing.push(...(refusal === undefined ? [page.id] : []));
    else if (reason === undefined) kept.push(page.id);
    else marks.push({ id: page.id, reason });
  }
  await scheduleRemovals(trx, orgId, jobId, marks);
  const overLimit = marks.filter(({ reason }) => reason === 'page_limit').length;
  if (overLimit > 0) await incrementCounts(trx, { orgId, datasourceId, jobId }, { overLimit });
  await queuePages(trx, orgId, jobId, { ids: [...kept, ...missing], isForced: false });
}

function refusalOf(site: Site, page: { url: string; depth: number; choice: string | null }): PageReason | undefined {
  const url = parsePageUrl(page.url);
  if (url === undefined) return 'other_site';
  const isWanted = page.choice === 'included';
  return site.refusalOf(url, { depth: page.depth, isWanted }) ?? (isWanted ? undefined : site.omissionOf(url));
}

/** Reads the sitemaps listed in robots.txt, the one at the usual address, and the sitemaps listed in those. */
async function readSitemaps(
  db: Db,
  deps: CrawlDeps,
  ref: CrawlRef,
  { site, robots, isStopped }: { site: Site; robots: Robots; isStopped: () => boolean },
): Promise<void> {
  const usual = new URL('/sitemap.xml', site.start);
  const seen = new Set([...robots.sitemaps, ...(robots.allows(usual) ? [usual.href] : [])]);
  const endAt = performance.now() + MAX_SITEMAPS_MS;
  const isOver = () => isStopped() || performance.now() > endAt;
  const delayMs = Math.max(deps.delayMs, robots.delayMs ?? 0);
  let read = 0;
  for (const address of seen) {
    const url = parsePageUrl(address, site.start.href);
    if (url === undefined) continue;
    if (delayMs > 0) await awaitHostSlot(db, url.host, delayMs, isOver);
    if (isStopped()) throw new Error('The worker is stopping before all sitemaps are read');
    if (read >= MAX_SITEMAPS || isOver()) return recordDropped(db, ref, seen.size - read);
    read++;
    const { urls, sitemaps, isCut } = await fetchSitemap(deps.egress, url.href);
    const others = sitemaps.filter((next) => !seen.has(next));
    const capacity = Math.max(0, MAX_SITEMAPS - seen.size);
    for (const next of others.slice(0, capacity)) seen.add(next);
    const dropped = Math.max(0, others.length - capacity) + Number(isCut);
    if (dropped > 0) await recordDropped(db, ref, dropped);
    await queueDiscovered(db, ref, discoveredUrlsOf(site, urls, { depth: MAX_SITEMAP_DEPTH, foundOn: url.href }));
  }
}

/** Records that a crawl is incomplete. */
const recordDropped = (db: Db, ref: CrawlRef, dropped: number): Promise<void> =>
  inTransaction(db, async (trx) => {
    if ((await lockJob(trx, ref.orgId, ref.datasourceId, ref.jobId)) !== undefined)
      await incrementCounts(trx, ref, { dropped });
  });

async function awaitHostSlot(db: Db, host: string, delayMs: number, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const waitMs = await reserveHostSlot(db, host, { delayMs, maxWaitMs: POLL_MS });
    await sleep(waitMs ?? POLL_MS);
    if (waitMs !== null) return;
  }
}

async function queueDiscovered(db: Db, ref: CrawlRef, found: DiscoveredUrl[]): Promise<void> {
  const known = await findQueueCapacity(db, ref.orgId, ref.datasourceId);
  const room = {
    queued: Math.max(0, MAX_KNOWN_URLS.queued - known.queued),
    refused: Math.max(0, MAX_KNOWN_URLS.refused - known.refused),
  };
  for (let from = 0; from < found.length; from += URLS_PER_WRITE) {
    const inserted = await inTransaction(db, async (trx) => {
      if ((await lockJob(trx, ref.orgId, ref.datasourceId, ref.jobId)) === undefined) return undefined;
      const result = await insertDiscovered(trx, ref, found.slice(from, from + URLS_PER_WRITE), room);
      await incrementCounts(trx, ref, { dropped: result.dropped });
      return result.inserted;
    });
    if (inserted === undefined) return;
    room.queued -= inserted.queued;
    room.refused -= inserted.refused;
  }
}
