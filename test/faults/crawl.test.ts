import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeSite, pageOf, startFakeSite } from '../support/fakes/site.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { CRAWLED_PAGES, KILLS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const LINKS_A_PAGE = 4;
const ANSWER_MS = 15;
/** Repeated fetches per kill at most: visits in progress, results being written, and results not yet written. */
const LOST_A_KILL = 50;
const IS_PRIVATE = /[05]7$/;

let stack: FaultStack;
let site: FakeSite;
beforeAll(async () => {
  stack = await startFaultStack({ env: { EGRESS_ALLOW: '127.0.0.0/8', CRAWL_DELAY_MS: '0' } });
  site = await startFakeSite();
}, TEST_LIMIT_MS);
afterAll(async () => {
  await site.close();
  await stack.close();
});

const pathOf = (n: number) => (n === 0 ? '/' : `/p/${n}`);

/** Fills the site with a tree of pages with links back. Some are private, some gone and some duplicates. */
function fill(): { synced: string[]; others: Record<string, string> } {
  const synced: string[] = [];
  const others: Record<string, string> = {};
  const rules: string[] = [];
  for (let n = 0; n < CRAWLED_PAGES; n++) {
    const path = pathOf(n);
    const children = Array.from({ length: LINKS_A_PAGE }, (_, child) => n * LINKS_A_PAGE + child + 1);
    const links = [...children.filter((child) => child < CRAWLED_PAGES).map(pathOf), '/', pathOf(Math.floor(n / 2))];
    const isLeaf = children.every((child) => child >= CRAWLED_PAGES);
    const page = { ...pageOf(`Page ${n}`, { links }), delayMs: ANSWER_MS };
    if (isLeaf && IS_PRIVATE.test(path)) {
      rules.push(`Disallow: ${path}$`);
      others[path] = 'robots';
    } else if (isLeaf && path.endsWith('3')) {
      site.pages.set(path, { status: 410 });
      others[path] = 'not_found';
    } else if (isLeaf && path.endsWith('9')) {
      site.pages.set(path, pageOf(`Page ${n}`, { head: '<link rel="canonical" href="/">' }));
      others[path] = 'canonical';
    } else synced.push(path);
    if (!site.pages.has(path)) site.pages.set(path, page);
  }
  site.pages.set('/robots.txt', { body: `User-agent: *\n${rules.join('\n')}` });
  return { synced, others };
}

it(
  'a crawl stores exactly the existing pages, obeys all rules, and is deleted completely, when the worker is killed repeatedly',
  async () => {
    const expected = fill();
    const org = await stack.newOrg();
    const made = await org.post('/crawl', { url: `${site.url}/`, page_limit: 5_000 });
    expect(made.status).toBe(201);
    const { id } = made.body;
    const crawls = async () => (await org.call('GET', `/crawl/${id}/crawls`)).body.items;

    let kills = 0;
    for (; kills < KILLS; kills++) {
      const seen = site.requests.length;
      const next = seen + Math.ceil((CRAWLED_PAGES * 0.8) / (KILLS + 1));
      await until('pages were fetched', async () => site.requests.length >= next, TEST_LIMIT_MS);
      const [job] = await crawls();
      expect(job.status).toBe('scraping');
      await stack.worker.kill();
      await sleep(200);
      await stack.worker.start();
    }
    await until('the crawl had ended', async () => (await crawls())[0].status === 'completed', TEST_LIMIT_MS);

    const rows = await stack.db
      .selectFrom('crawl_pages')
      .select(['id', 'url', 'status', 'reason'])
      .where('org_id', '=', org.id)
      .execute();
    const stored = rows.filter(({ status }) => status === 'synced');
    const pathsOf = (pages: { url: string }[]) => pages.map(({ url }) => new URL(url).pathname).toSorted();
    expect(pathsOf(stored)).toEqual(expected.synced.toSorted());
    const others = rows.filter(({ status }) => status !== 'synced');
    expect(Object.fromEntries(others.map(({ url, reason }) => [new URL(url).pathname, reason]))).toEqual(
      expected.others,
    );
    const items = await stack.db.selectFrom('knowledge_items').select('id').where('org_id', '=', org.id).execute();
    expect(items.map((item) => item.id).toSorted()).toEqual(stored.map((page) => page.id).toSorted());

    const [job] = await crawls();
    expect(job).toMatchObject({ new_pages: stored.length, completed_pages: CRAWLED_PAGES, total_pages: CRAWLED_PAGES });
    const asked = site.paths().filter((path) => path !== '/robots.txt' && path !== '/sitemap.xml');
    expect(asked.filter((path) => expected.others[path] === 'robots')).toEqual([]);
    expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(LOST_A_KILL * kills);

    expect((await org.call('DELETE', `/crawl/${id}`)).status).toBe(200);
    await stack.worker.kill();
    await stack.worker.start();
    const tables = ['datasources', 'crawl_pages', 'knowledge_items', 'knowledge_chunks'] as const;
    const countOf = async (table: (typeof tables)[number]) =>
      (await stack.db.selectFrom(table).select('id').where('org_id', '=', org.id).execute()).length;
    const isDeleted = async () => (await Promise.all(tables.map(countOf))).every((count) => count === 0);
    await until('the datasource was deleted', isDeleted, TEST_LIMIT_MS);
  },
  TEST_LIMIT_MS,
);
