import { sql } from 'kysely';
import { deleteNextParts } from '../../src/crawl/deletion/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { indexItems } from '../../src/knowledge/index/service.ts';
import { newItem } from '../knowledge/index/items.ts';
import { pageOf, startFakeSite } from '../support/fakes/site.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { eventually, startStack } from '../support/stack/stack.ts';
import { crawlSite } from './crawling.ts';

const TABLES = ['datasources', 'crawl_pages', 'crawl_jobs', 'crawl_changes', 'knowledge_items', 'knowledge_chunks'];

const countRows = async ({ db }: Pick<TestApi, 'db'>, org: TestOrg) => {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const { rows } = await sql<{ count: string }>`
      select count(*) from ${sql.table(table)} where org_id = ${org.id}
    `.execute(db);
    counts[table] = Number(rows[0]?.count);
  }
  return counts;
};
const search = async (org: TestOrg, query: string, more: object = {}) =>
  (await org.post('/training/search', { query, ...more })).body.results.map(({ title }: { title: string }) => title);

describe('a deleted datasource, before anything of it is deleted', () => {
  let api: TestApi;
  let org: TestOrg;
  let id: string;
  beforeAll(async () => {
    api = await startApi();
    org = api.org;
    id = (await org.post('/crawl', { url: 'https://docs.example.com/', auto_start_crawl: false })).body.id;
    const items = Array.from({ length: 250 }, (_, n) =>
      newItem({ title: `Kitten ${n}`, markdown: 'Kittens eat fish.' }),
    );
    await inTransaction(api.db, (trx) => indexItems(trx, org.id, items));
    await sql`
      insert into crawl_pages (org_id, id, datasource_id, url_key, path_key, url, depth, is_stored, status)
      select ${org.id}, id, ${id}, id::text, id::text, 'https://docs.example.com/' || id, 0, true, 'synced'
      from unnest(${items.map((item) => item.id)}::uuid[]) as id
    `.execute(api.db);
    await sql`
      with job as (
        insert into crawl_jobs (org_id, id, datasource_id, kind, status)
        values (${org.id}, ${newId()}, ${id}, 'full', 'completed') returning id
      )
      insert into crawl_changes (org_id, id, job_id, page_id, kind, url)
      select ${org.id}, gen_random_uuid(), job.id, gen_random_uuid(), 'new', 'https://docs.example.com/'
      from job, generate_series(1, 2500)
    `.execute(api.db);
    await org.post('/training', { title: 'Cats', content: 'Cats were kittens.' });
  });
  afterAll(() => api.close());

  it('is in no list and no search, and its deletion continues wherever it was interrupted', async () => {
    expect(await search(org, 'kittens', { limit: 50 })).toHaveLength(50);
    const [job] = (await org.get(`/crawl/${id}/crawls`)).body.items;
    expect((await org.delete(`/crawl/${id}`)).status).toBe(200);

    expect(await countRows(api, org)).toMatchObject({ datasources: 1, crawl_pages: 250, knowledge_items: 251 });
    expect(await search(org, 'kittens')).toEqual(['Cats']);
    expect(await search(org, 'kittens', { sourceTypes: ['website'] })).toEqual([]);
    expect((await org.get('/crawl')).body.items).toEqual([]);
    for (const path of ['', '/pages', '/crawls', `/crawls/${job.id}`])
      expect((await org.get(`/crawl/${id}${path}`)).status).toBe(404);
    expect((await org.delete(`/crawl/${id}`)).status).toBe(404);
    expect((await org.patch(`/crawl/${id}`, { page_limit: 5 })).status).toBe(404);
    expect((await org.post(`/crawl/${id}/crawls`)).status).toBe(404);

    const ref = { orgId: org.id, datasourceId: id };
    const afterOne = () => {
      let asked = 0;
      return () => asked++ > 0;
    };
    expect(await deleteNextParts(api.db, ref, afterOne())).toEqual({ pages: 100, isDone: false });
    expect(await countRows(api, org)).toMatchObject({ crawl_pages: 150, knowledge_items: 151 });
    expect(await search(org, 'kittens')).toEqual(['Cats']);
    const never = () => false;
    const both = await Promise.all([deleteNextParts(api.db, ref, never), deleteNextParts(api.db, ref, never)]);
    expect(both.map(({ isDone }) => isDone)).toEqual([true, true]);
    expect(await countRows(api, org)).toEqual({
      datasources: 0,
      crawl_pages: 0,
      crawl_jobs: 0,
      crawl_changes: 0,
      knowledge_items: 1,
      knowledge_chunks: 1,
    });
    expect(await search(org, 'kittens')).toEqual(['Cats']);
  });

  it('is never one that exists', async () => {
    const { body } = await org.post('/crawl', { url: 'https://www.example.com/', auto_start_crawl: false });
    await deleteNextParts(api.db, { orgId: org.id, datasourceId: body.id }, () => false);
    expect((await org.get(`/crawl/${body.id}`)).status).toBe(200);
  });
});

it('a datasource deleted during its crawl leaves nothing, and neither does the crawl', async () => {
  const stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8', CRAWL_DELAY_MS: '0' } });
  const site = await startFakeSite();
  try {
    const paths = Array.from({ length: 40 }, (_, n) => `/${n}`);
    site.pages.set('/', pageOf('Home', { links: paths }));
    for (const path of paths) site.pages.set(path, { ...pageOf(`Page ${path}`), delayMs: 20 });
    const { id } = await crawlSite(stack.org, { url: `${site.url}/` });
    const { body } = await stack.org.post(`/crawl/${id}/crawls`);
    await eventually('a crawl under way', () => site.paths().length > 60);
    expect((await stack.org.delete(`/crawl/${id}`)).status).toBe(200);
    const isEmpty = async () => Object.values(await countRows(stack, stack.org)).every((count) => count === 0);
    await eventually('nothing left', isEmpty);
    const { workflow } = stack.temporal;
    expect(await workflow.getHandle(`datasource-deletion/${id}`).result()).toBe(41);
    expect(await workflow.getHandle(`crawl/${id}/${body.id}`).result()).toMatchObject({ status: 'ended' });
    expect(await isEmpty()).toBe(true);
  } finally {
    await site.close();
    await stack.close();
  }
});
