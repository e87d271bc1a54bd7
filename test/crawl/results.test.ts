import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { seedCrawl } from '../../src/crawl/queue/seeding.service.ts';
import { crawlBatch } from '../../src/crawl/visiting/batch.service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createExtractor } from '../../src/extraction/service.ts';
import { pdfOf } from '../extraction/pdfs.ts';
import { type FakeSite, pageOf, sitemapOf, startFakeSite } from '../support/fakes/site.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { outcomesOf, pagesOf } from './crawling.ts';
import { beginInline, type InlineCrawl, isStopped, runInline } from './inline-crawls.ts';

const BATCH = 1;

let api: TestApi;
let site: FakeSite;
const extractor = createExtractor();
beforeAll(async () => {
  api = await startApi({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  site = await startFakeSite();
});
afterAll(async () => {
  await Promise.all([api.close(), site.close(), extractor.close()]);
});

const begin = (more: object = {}) => beginInline(api, site, more);
const crawl = (of: InlineCrawl) => runInline(api, extractor, of);

it('a page rejected by the database is unreadable, and blocks no other page', async () => {
  const paths = ['/a', '/b', '/c'];
  site.pages.set('/', pageOf('Home', { links: paths }));
  for (const path of paths) site.pages.set(path, pageOf(`Page ${path}`));
  const spoiling: typeof extractor = {
    ...extractor,
    extract: async (page) => {
      const read = await extractor.extract(page);
      return page.url.endsWith('/b') ? { ...read, title: `half \ud83d` } : read;
    },
  };
  const ref = await begin();
  const deps = { egress: api.deps.egress, extractor: spoiling, delayMs: 0 };
  await seedCrawl(api.db, deps, ref, isStopped);
  expect(await crawlBatch(api.db, deps, ref, { batch: BATCH, isStopped })).toMatchObject({ state: 'drained', done: 4 });
  expect(await outcomesOf(api.org, ref.datasourceId)).toEqual({
    '/': 'synced',
    '/a': 'synced',
    '/b': 'unreadable',
    '/c': 'synced',
  });
});

it('two concurrent attempts of a batch write each page once', async () => {
  const paths = Array.from({ length: 40 }, (_, nth) => `/twice/${nth}`);
  site.pages.set('/twice/', pageOf('Home', { links: paths }));
  for (const path of paths) site.pages.set(path, pageOf(`Page ${path}`));
  const ref = await begin();
  const deps = { egress: api.deps.egress, extractor, delayMs: 0 };
  site.pages.set('/', pageOf('Home', { links: ['/twice/'] }));
  await seedCrawl(api.db, deps, ref, isStopped);
  const tries = [1, 2].map(() => crawlBatch(api.db, deps, ref, { batch: BATCH, isStopped }));
  await Promise.all(tries);
  await crawlBatch(api.db, deps, ref, { batch: BATCH + 1, isStopped });
  const outcomes = await outcomesOf(api.org, ref.datasourceId);
  expect(Object.values(outcomes)).toEqual(Array.from({ length: 42 }, () => 'synced'));
  const items = await api.db.selectFrom('knowledge_items').select('id').where('org_id', '=', api.org.id).execute();
  const { new_pages } = (await api.org.get(`/crawl/${ref.datasourceId}/crawls/${ref.jobId}`)).body;
  expect([items.length - 3, new_pages]).toEqual([42, 42]);
});

it.each([['resync'], ['exclude', 'include']])(
  'a page queued again by a user during its visit is visited again: %s',
  async (...actions) => {
    const path = `/${actions.join('-')}/`;
    const paths = Array.from({ length: 120 }, (_, nth) => `${path}${nth}`);
    site.pages.set('/', pageOf('Home', { links: [path] }));
    site.pages.set(path, pageOf('Start', { links: paths }));
    for (const one of paths) site.pages.set(one, pageOf(`Page ${one}`));
    const chosen = paths[3] as string;
    const ref = await begin();
    let isDone = false;
    const meddling: typeof extractor = {
      ...extractor,
      async extract(page) {
        const read = await extractor.extract(page);
        if (!page.url.endsWith(chosen) || isDone) return read;
        isDone = true;
        const pages = await pagesOf(api.org, ref.datasourceId);
        const page_ids = [pages.find(({ url }) => url === page.url).id];
        for (const action of actions) await api.org.post(`/crawl/${ref.datasourceId}/pages/${action}`, { page_ids });
        return { ...read, title: 'As it was before' };
      },
    };
    const deps = { egress: api.deps.egress, extractor: meddling, delayMs: 0 };
    await seedCrawl(api.db, deps, ref, isStopped);
    for (let batch = 1; ; batch++) {
      const { state } = await crawlBatch(api.db, deps, ref, { batch, isStopped });
      if (state === 'drained') break;
      expect(batch).toBeLessThan(10);
    }
    const [page] = (await pagesOf(api.org, ref.datasourceId)).filter(({ url }) => url.endsWith(chosen));
    expect(page).toMatchObject({ status: 'synced', title: `Page ${chosen}` });
    const item = await api.db
      .selectFrom('knowledge_items')
      .select('title')
      .where('org_id', '=', api.org.id)
      .where('id', '=', page.id)
      .executeTakeFirst();
    expect(item).toEqual({ title: `Page ${chosen}` });
    expect(site.paths().filter((asked) => asked === chosen)).toHaveLength(2);
  },
);

it('follows all 2,500 links of a page, and removes nothing while a page has more links than are followed', async () => {
  const links = (count: number) => Array.from({ length: count }, (_, nth) => `/post/${nth}`);
  site.pages.set('/', pageOf('Index', { links: [...links(2_500), '/last'] }));
  site.pages.set('/last', pageOf('The last post'));
  const ref = await begin({ exclude_paths: ['/post'] });
  expect(await crawl(ref)).toMatchObject({ status: 'completed', dropped_urls: 0, new_pages: 2 });
  expect(await outcomesOf(api.org, ref.datasourceId)).toMatchObject({ '/last': 'synced' });

  site.pages.set('/', pageOf('Index', { links: [...links(10_500), '/last'] }));
  for (let times = 0; times < 2; times++) {
    const { body } = await api.org.post(`/crawl/${ref.datasourceId}/crawls`, {});
    expect(await crawl({ ...ref, jobId: body.id })).toMatchObject({
      dropped_urls: 501,
      removed_pages: 0,
    });
  }
  expect(await outcomesOf(api.org, ref.datasourceId)).toMatchObject({ '/last': 'synced' });
});

it('stores at most 50 query variants of a path, in every crawl', async () => {
  const links = Array.from({ length: 60 }, (_, nth) => `/list?n=${nth}`);
  site.pages.set('/', pageOf('Index', { links }));
  for (const path of links) site.pages.set(path, pageOf(`List ${path}`));
  const ref = await begin();
  expect(await crawl(ref)).toMatchObject({ new_pages: 51 });
  for (let times = 0; times < 2; times++) {
    const { body } = await api.org.post(`/crawl/${ref.datasourceId}/crawls`);
    expect(await crawl({ ...ref, jobId: body.id })).toMatchObject({ new_pages: 0, unchanged_pages: 51 });
  }
  const left = Object.values(await outcomesOf(api.org, ref.datasourceId)).filter((one) => one === 'too_many_queries');
  expect(left.length).toBeGreaterThan(0);
});

it('follows the links of quick pages while a slow one is being fetched', async () => {
  site.pages.set('/', pageOf('Home', { links: ['/slow', '/quick'] }));
  site.pages.set('/slow', { ...pageOf('Slow'), delayMs: 4_000 });
  site.pages.set('/quick', pageOf('Quick', { links: ['/behind'] }));
  site.pages.set('/behind', pageOf('Behind'));
  expect(await crawl(await begin())).toMatchObject({ status: 'completed', new_pages: 4 });
  const askedAt = (path: string) => site.requests.findLast((request) => request.path === path)?.at ?? Number.NaN;
  expect(askedAt('/behind') - askedAt('/slow')).toBeLessThan(3_000);
});

it('fetches at most 100 pages ahead of what is written, so that a killed worker repeats no more', async () => {
  const paths = Array.from({ length: 300 }, (_, nth) => `/ahead/${nth}`);
  site.pages.set('/', pageOf('Home'));
  site.pages.set('/sitemap.xml', sitemapOf(paths.map((path) => site.url + path)));
  for (const path of paths) site.pages.set(path, pageOf(`Page ${path}`));
  const ref = await begin();
  const deps = { egress: api.deps.egress, extractor, delayMs: 0 };
  await seedCrawl(api.db, deps, ref, isStopped);
  site.pages.delete('/sitemap.xml');
  const begun = site.requests.length;
  const crawling = await inTransaction(api.db, async (trx) => {
    await sql`lock table knowledge_items in share mode`.execute(trx); // no result can be written
    const batch = crawlBatch(api.db, deps, ref, { batch: BATCH, isStopped });
    await sleep(2_000);
    const ahead = site.requests.length - begun;
    expect(ahead).toBeGreaterThan(40);
    expect(ahead).toBeLessThanOrEqual(100);
    return { batch };
  });
  await crawling.batch;
  expect(
    site
      .paths()
      .filter((path) => path.startsWith('/ahead'))
      .toSorted(),
  ).toEqual(paths.toSorted());
});

it('waits as long as a host asked for, even in a batch that begins again in another process', async () => {
  const paths = Array.from({ length: 20 }, (_, nth) => `/busy/${nth}`);
  site.pages.set('/', pageOf('Home', { links: paths }));
  for (const path of paths) site.pages.set(path, { status: 429, headers: { 'retry-after': '60' } });
  const ref = await begin();
  const deps = { egress: api.deps.egress, extractor, delayMs: 0 };
  await seedCrawl(api.db, deps, ref, isStopped);
  const { waitMs } = await crawlBatch(api.db, deps, ref, { batch: BATCH, isStopped });
  expect(waitMs).toBeGreaterThan(50_000);
  const asked = site.requests.length;
  for (const batch of [BATCH, BATCH + 1]) {
    const again = await crawlBatch(api.db, deps, ref, { batch, isStopped });
    expect(again).toMatchObject({ state: 'running', waitMs: expect.closeTo(waitMs, -4) });
  }
  expect(site.requests.length).toBe(asked);
  await api.db.deleteFrom('crawl_hosts').where('host', '=', site.host).execute();
});

it('says of a long text which part of it is stored, until it is shorter', async () => {
  const manual = (count: number) => ({
    headers: { 'content-type': 'application/pdf' },
    body: pdfOf({ title: 'Manual', pages: Array.from({ length: count }, (_, nth) => `This is page ${nth + 1}.`) }),
  });
  const terms = (count: number) => ({ headers: { 'content-type': 'text/plain' }, body: 'of the terms '.repeat(count) });
  site.pages.set('/', pageOf('Home', { links: ['/manual.pdf', '/terms.txt', '/book'] }));
  site.pages.set('/book', pageOf('Book', { text: 'Once upon a time. '.repeat(60_000) }));
  site.pages.set('/manual.pdf', manual(302));
  site.pages.set('/terms.txt', terms(80_000));
  const ref = await begin();
  const details = async () =>
    Object.fromEntries(
      (await pagesOf(api.org, ref.datasourceId)).map(({ url, status, reason, detail }) => {
        expect([status, reason]).toEqual(['synced', null]);
        return [new URL(url).pathname, detail];
      }),
    );
  const long = {
    '/': null,
    '/book': 'Only the first 1,000,000 characters of its text are read',
    '/manual.pdf': 'Only the first 300 of its 302 pages are read',
    '/terms.txt': 'Only the first 1,000,000 characters of its text are read',
  };
  expect(await crawl(ref)).toMatchObject({ new_pages: 4 });
  expect(await details()).toEqual(long);
  const again = async () => {
    const { body } = await api.org.post(`/crawl/${ref.datasourceId}/crawls`);
    return crawl({ ...ref, jobId: body.id });
  };
  expect(await again()).toMatchObject({ unchanged_pages: 4 });
  expect(await details()).toEqual(long);
  site.pages.set('/manual.pdf', manual(300));
  site.pages.set('/terms.txt', terms(70_000));
  expect(await again()).toMatchObject({ unchanged_pages: 3, updated_pages: 1 }); // the first 300 pages are as before
  expect(await details()).toEqual({ ...long, '/manual.pdf': null, '/terms.txt': null });
});

it('removes what is linked no more also on a site with more links to others than are stored', async () => {
  const others = (from: number) => Array.from({ length: 6_000 }, (_, nth) => `http://other.example/${from + nth}`);
  const more = ['/partners/a', '/partners/b'];
  site.pages.set('/', pageOf('Home', { links: [...more, '/leaving'] }));
  for (const [nth, path] of more.entries()) site.pages.set(path, pageOf(path, { links: others(nth * 6_000) }));
  site.pages.set('/leaving', pageOf('Leaving'));
  const ref = await begin();
  expect(await crawl(ref)).toMatchObject({ new_pages: 4, dropped_urls: 0 });
  site.pages.set('/', pageOf('Home', { links: more }));
  const again = async () => {
    const { body } = await api.org.post(`/crawl/${ref.datasourceId}/crawls`);
    return crawl({ ...ref, jobId: body.id });
  };
  expect(await again()).toMatchObject({ removed_pages: 0 });
  expect(await again()).toMatchObject({ removed_pages: 1 });
});

it('forgets an address that is not stored once five crawls have not found it, unless a user has chosen it', async () => {
  site.pages.set('/', pageOf('Home', { links: ['/gone', '/chosen', '/missing'] }));
  site.pages.set('/chosen', pageOf('Chosen'));
  const ref = await begin();
  await crawl(ref);
  const pages = () => pagesOf(api.org, ref.datasourceId);
  const chosen = (await pages()).find(({ url }) => url.endsWith('/chosen'));
  await api.org.post(`/crawl/${ref.datasourceId}/pages/exclude`, { page_ids: [chosen.id] });
  site.pages.set('/', pageOf('Home', { links: ['/missing'] }));
  const paths = async () => (await pages()).map(({ url }) => new URL(url).pathname).toSorted();
  for (let times = 1; times <= 5; times++) {
    expect(await paths()).toEqual(['/', '/chosen', '/gone', '/missing']);
    const { body } = await api.org.post(`/crawl/${ref.datasourceId}/crawls`);
    await crawl({ ...ref, jobId: body.id });
  }
  expect(await paths()).toEqual(['/', '/chosen', '/missing']);
});
