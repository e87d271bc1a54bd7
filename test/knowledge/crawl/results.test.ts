import { afterAll, beforeAll, expect, it } from 'vitest';
import { seedCrawl } from '../../../src/knowledge/crawl/queue/seeding.service.ts';
import { crawlBatch } from '../../../src/knowledge/crawl/visiting/batch.service.ts';
import { createExtractor } from '../../../src/knowledge/extraction/service.ts';
import { type FakeSite, pageOf, startFakeSite } from '../../support/fakes/site.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { outcomesOf, pagesOf } from './crawling.ts';

const BATCH = 1;
const isStopped = () => false;

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

/** Starts a crawl unknown to any worker. */
async function begin() {
  const { body } = await api.org.post('/crawl', { url: `${site.url}/`, page_limit: 500 });
  const [job] = (await api.org.get(`/crawl/${body.id}/crawls`)).body.items;
  return { orgId: api.org.id, datasourceId: body.id as string, jobId: job.id as string };
}

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
