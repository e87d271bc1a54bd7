import { setTimeout as sleep } from 'node:timers/promises';
import { createDatasource } from '../src/crawl/datasources/service.ts';
import { getJob, pageOfJobs, startCrawl } from '../src/crawl/jobs/service.ts';
import type { Db } from '../src/db/connect.ts';
import type { Program } from './support/processes.ts';
import { type Finding, medianRatio, memoryFinding, note, rateFinding, report } from './support/report.ts';
import { seedOrg } from './support/seed.ts';
import { type Stack, withStack } from './support/stack.ts';

const PAGES = 2_000;
const ROUNDS = 3;
const MANY_PAGES = 5_000;
/** The number of pages in a measured stretch: many times the pages written at once. */
const STRETCH = 1_000;
/** The first page of the early stretch. The late stretch ends with the last page. */
const EARLY_BEGIN = 500;
const POLL_MS = 50;
const AT_MOST_MB = 400;
/** Pages a second. */
const LEAST_UNCHANGED = 400;

interface Rates {
  ours: number[];
  again: number[];
  /** With its default options. */
  crawlee: number[];
  inMemory: number[];
  bare: number[];
  /** The bare loop with the search index. */
  indexed: number[];
}

/**
 * Crawls the same site with the product, with Crawlee following links only (queue on disk and in memory), and with a
 * loop without a persistent queue, alternating. The product crawls it once more unchanged, and finally crawls a larger
 * site several times.
 */
async function measure(stack: Stack): Promise<Finding[]> {
  const { db } = stack;
  const site = await stack.start(import.meta.resolve('./support/programs/crawl-site.ts'));
  const url = await site.ask<string>('start', { pages: PAGES });
  const crawlee = await stack.start(import.meta.resolve('./support/baselines/crawlee-crawl.ts'));
  const bare = await stack.start(import.meta.resolve('./support/baselines/bare-crawl.ts'));
  const worker = await stack.start('worker', { EGRESS_ALLOW: '127.0.0.0/8', CRAWL_DELAY_MS: '0' });
  const rates: Rates = { ours: [], again: [], crawlee: [], inMemory: [], bare: [], indexed: [] };
  for (let round = 1; round <= ROUNDS; round++) {
    rates.crawlee.push(await rateOf(crawlee, url));
    rates.inMemory.push(await rateOf(crawlee, url, { isInMemory: true }));
    const { first, again } = await crawlTwice(db, url);
    rates.ours.push(first);
    rates.again.push(again);
    rates.bare.push(await rateOf(bare, url));
    rates.indexed.push(await rateOf(bare, url, { isIndexed: true }));
    note(
      `round ${round}: crawl ${first.toFixed(0)}/s, unchanged ${again.toFixed(0)}/s, Crawlee ${rates.crawlee.at(-1)?.toFixed(0)}/s, in memory ${rates.inMemory.at(-1)?.toFixed(0)}/s, bare loop ${rates.bare.at(-1)?.toFixed(0)}/s, with the index ${rates.indexed.at(-1)?.toFixed(0)}/s`,
    );
  }
  const largeUrl = await site.ask<string>('start', { pages: MANY_PAGES });
  const stretches = [await measureStretches(db, largeUrl)];
  const memoryMb = worker.peakMemoryMb();
  while (stretches.length < ROUNDS) stretches.push(await measureStretches(db, largeUrl));
  note(
    `ratio to Crawlee with its queue in memory and its best concurrency: ${medianRatio(rates.ours, rates.inMemory).toFixed(2)}`,
  );
  note(`ratio to the bare loop without a search index: ${medianRatio(rates.ours, rates.bare).toFixed(2)}`);
  return [
    rateFinding('crawl, extracted, stored and indexed / Crawlee, links only', rates.ours, rates.crawlee, 3),
    rateFinding('crawl / a bare loop with the same parser, upsert and search index', rates.ours, rates.indexed, 0.5),
    {
      ...rateFinding('crawl of unchanged pages, beside the first', rates.again, rates.ours, 1),
      target: `≥ ${LEAST_UNCHANGED}/s`,
      isMet: Math.min(...rates.again) >= LEAST_UNCHANGED,
    },
    rateFinding(
      `crawl, the last ${STRETCH} of ${MANY_PAGES} pages / ${STRETCH} from the ${EARLY_BEGIN}th`,
      stretches.map(({ late }) => late),
      stretches.map(({ early }) => early),
      0.95,
    ),
    memoryFinding(
      `peak memory of the worker, ${ROUNDS} crawls of ${PAGES} pages and one of ${MANY_PAGES}`,
      memoryMb,
      AT_MOST_MB,
    ),
  ];
}

async function rateOf(program: Program, url: string, options: object = {}): Promise<number> {
  const { pages, ms } = await program.ask<{ pages: number; ms: number }>('crawl', { url: `${url}/`, ...options });
  if (pages !== PAGES && pages !== PAGES + 1) throw new Error(`${pages} of ${PAGES} pages were found`);
  return (pages * 1000) / ms;
}

async function crawlTwice(db: Db, url: string): Promise<{ first: number; again: number }> {
  const { orgId, id, jobId } = await beginCrawl(db, url);
  const first = await rateOfJob(db, orgId, id, jobId);
  const again = await rateOfJob(db, orgId, id, (await startCrawl(db, orgId, id)).id);
  return { first, again };
}

/** Returns the pages a second, early and late in the crawl of a large site. */
async function measureStretches(db: Db, url: string): Promise<{ early: number; late: number }> {
  const { orgId, id, jobId } = await beginCrawl(db, url);
  const rateBehind = async (begin: number) => {
    const from = await untilPages(db, orgId, id, jobId, begin);
    const to = await untilPages(db, orgId, id, jobId, begin + STRETCH);
    return ((to.pages - from.pages) * 1000) / (to.atMs - from.atMs);
  };
  return { early: await rateBehind(EARLY_BEGIN), late: await rateBehind(MANY_PAGES - STRETCH) };
}

async function untilPages(db: Db, orgId: string, datasourceId: string, jobId: string, least: number) {
  for (;;) {
    const { status, new_pages: pages, error_message } = await getJob(db, orgId, datasourceId, jobId);
    if (pages >= least) return { pages, atMs: performance.now() };
    if (status !== 'pending' && status !== 'scraping')
      throw new Error(`a crawl ${status} with ${pages} pages: ${error_message}`);
    await sleep(POLL_MS);
  }
}

async function beginCrawl(db: Db, url: string): Promise<{ orgId: string; id: string; jobId: string }> {
  const orgId = await seedOrg(db, 0);
  const { id } = await createDatasource(db, orgId, {
    url: `${url}/`,
    page_limit: 5_000,
    exclude_paths: [],
    include_paths: [],
    crawl_interval_hours: null,
    rendering: 'never',
    auto_start_crawl: true,
  });
  const { items } = await pageOfJobs(db, orgId, id, { limit: 1 });
  return { orgId, id, jobId: items[0]?.id ?? '' };
}

async function rateOfJob(db: Db, orgId: string, datasourceId: string, jobId: string): Promise<number> {
  for (;;) {
    const { status, started_at, completed_at, new_pages, unchanged_pages, error_message } = await getJob(
      db,
      orgId,
      datasourceId,
      jobId,
    );
    const pages = new_pages + unchanged_pages;
    if (started_at !== null && completed_at !== null) {
      if (status !== 'completed' || pages < PAGES)
        throw new Error(`a crawl ${status} with ${pages} pages: ${error_message}`);
      return (pages * 1000) / (completed_at.getTime() - started_at.getTime());
    }
    await sleep(POLL_MS);
  }
}

await report(() => withStack({ hasTemporal: true }, measure));
