import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { CrawlDeps } from '../context.ts';
import type { CrawlRef } from '../contract.ts';
import { type DatasourceRow, lockDatasource } from '../datasources/shared.queries.ts';
import { reserveHostSlot } from '../fetching/hosts.shared.queries.ts';
import type { Robots } from '../fetching/robots.ts';
import { createRobotsFiles } from '../fetching/robots-files.ts';
import { fetchSitemap } from '../fetching/sitemaps.ts';
import { beginJob, lockJob, updateSitemapProblems } from '../jobs/shared.queries.ts';
import type { SitemapProblem } from '../jobs/table.ts';
import type { PageReason } from '../reasons.rules.ts';
import { type Site, siteOf } from '../scope/rules.ts';
import { MAX_URL_LENGTH, parsePageUrl } from '../scope/urls.rules.ts';
import { incrementCounts } from '../visiting/shared.queries.ts';
import { discoveredUrlsOf } from './discovered-links.rules.ts';
import { type DiscoveredUrl, findQueueCapacity, insertDiscovered } from './discovered-links.shared.queries.ts';
import { MAX_KNOWN_URLS } from './limits.rules.ts';
import { listWantedPages, queuePages, scheduleRemovals } from './seeding.shared.queries.ts';

const MAX_SITEMAPS = 50;
const URLS_PER_WRITE = 500;
const MAX_SITEMAP_DEPTH = 1;
/** Time limit for all sitemaps together. Other crawls wait for this one meanwhile. */
const MAX_SITEMAPS_MS = 2 * 60_000;
const POLL_MS = 1_000;
const SITEMAP_NAME = /^[^?#]*\.xml(?:\.gz)?(?:[?#]|$)/i;
const NO_ADDRESS = 'robots.txt lists it, but it is no address';

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

/** Who lists a sitemap: `nobody` the one at the usual address, and a page may look like one. */
type SitemapOrigin = 'robots' | 'index' | 'page' | 'nobody';

interface SitemapReading {
  site: Site;
  robots: Robots;
  isStopped: () => boolean;
  /** The addresses of sitemaps, in the order in which they are read. */
  addresses: Map<string, SitemapOrigin>;
  problems: SitemapProblem[];
}

/** Reads the sitemaps listed in robots.txt, the one at the usual address, and the sitemaps listed in those. */
async function readSitemaps(
  db: Db,
  deps: CrawlDeps,
  ref: CrawlRef,
  given: Pick<SitemapReading, 'site' | 'robots' | 'isStopped'>,
): Promise<void> {
  const { site, robots, isStopped } = given;
  const reading: SitemapReading = { ...given, addresses: knownSitemapsOf(site, robots), problems: [] };
  const endAt = performance.now() + MAX_SITEMAPS_MS;
  const isOver = () => isStopped() || performance.now() > endAt;
  const delayMs = Math.max(deps.delayMs, robots.delayMs ?? 0);
  let read = 0;
  for (const [address, origin] of reading.addresses) {
    const url = parsePageUrl(address);
    if (url !== undefined && delayMs > 0) await awaitHostSlot(db, url.host, delayMs, isOver);
    if (isStopped()) throw new Error('The worker is stopping before all sitemaps are read');
    if (read >= MAX_SITEMAPS || isOver()) {
      await recordDropped(db, ref, reading.addresses.size - read);
      break;
    }
    read++;
    if (url === undefined) reading.problems.push({ url: address.slice(0, MAX_URL_LENGTH), problem: NO_ADDRESS });
    else await readSitemap(db, deps, ref, { ...reading, url, origin });
  }
  await updateSitemapProblems(db, ref, reading.problems);
}

function knownSitemapsOf(site: Site, robots: Robots): SitemapReading['addresses'] {
  const listed = robots.sitemaps.map((address) => parsePageUrl(address, site.start.href)?.href ?? address);
  const usual = new URL('/sitemap.xml', site.start);
  const known = new Map<string, SitemapOrigin>(listed.map((address) => [address, 'robots']));
  if (robots.allows(usual) && !known.has(usual.href)) known.set(usual.href, 'nobody');
  return known;
}

/** Queues the pages of a sitemap, and adds the sitemaps that it lists to those to be read. */
async function readSitemap(
  db: Db,
  deps: CrawlDeps,
  ref: CrawlRef,
  { url, origin, ...reading }: SitemapReading & { url: URL; origin: SitemapOrigin },
): Promise<void> {
  const { site, addresses } = reading;
  const { urls, sitemaps, isCut, problem, status } = await fetchSitemap(deps.egress, url.href);
  const isPage = origin === 'page' && problem !== null;
  const isMissing = origin === 'nobody' && status !== null && status >= 400 && status < 500;
  if (problem !== null && !isPage && !isMissing) reading.problems.push({ url: url.href, problem });
  const others = sitemaps.filter((next) => !addresses.has(next));
  const left = addSitemaps(addresses, others, 'index');
  const called = urls.filter((page) => isCalledSitemap(reading, page));
  addSitemaps(addresses, called, 'page');
  const dropped = left.length + Number(isCut);
  if (dropped > 0) await recordDropped(db, ref, dropped);
  const pages = isPage ? [url.href] : urls.filter((page) => addresses.get(page) === undefined);
  await queueDiscovered(db, ref, discoveredUrlsOf(site, pages, { depth: MAX_SITEMAP_DEPTH, foundOn: url.href }));
}

/** Adds as many sitemaps as are read. Returns the others. */
function addSitemaps(addresses: SitemapReading['addresses'], more: string[], origin: SitemapOrigin): string[] {
  const room = Math.max(0, MAX_SITEMAPS - addresses.size);
  const fresh = [...new Set(more)].filter((address) => !addresses.has(address));
  for (const address of fresh.slice(0, room)) addresses.set(address, origin);
  return fresh.slice(room);
}

/** Whether an address listed as a page is called like a sitemap: some sites list sitemaps as pages. */
function isCalledSitemap({ site, robots }: SitemapReading, page: string): boolean {
  const url = SITEMAP_NAME.test(page) ? parsePageUrl(page) : undefined;
  return url !== undefined && site.isOnSite(url) && robots.allows(url);
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

async function queueDiscovered(db: Db, ref: CrawlRef, links: DiscoveredUrl[]): Promise<void> {
  const capacity = await findQueueCapacity(db, ref.orgId, ref.datasourceId);
  const room = {
    queued: Math.max(0, MAX_KNOWN_URLS.queued - capacity.queued),
    refused: Math.max(0, MAX_KNOWN_URLS.refused - capacity.refused),
  };
  for (let from = 0; from < links.length; from += URLS_PER_WRITE) {
    const inserted = await inTransaction(db, async (trx) => {
      if ((await lockJob(trx, ref.orgId, ref.datasourceId, ref.jobId)) === undefined) return undefined;
      const result = await insertDiscovered(trx, ref, links.slice(from, from + URLS_PER_WRITE), room);
      await incrementCounts(trx, ref, { dropped: result.dropped });
      return result.inserted;
    });
    if (inserted === undefined) return;
    room.queued -= inserted.queued;
    room.refused -= inserted.refused;
  }
}
