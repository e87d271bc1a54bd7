import { type FakeSite, pageOf, startFakeSite } from '../support/fakes/site.ts';
import { openEventStream } from '../support/stack/event-stream.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { crawlAgain, crawlSite, outcomesOf, pagesOf, untilCrawled } from './crawling.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';

let stack: Stack;
let site: FakeSite;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8', CRAWL_DELAY_MS: '0' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  site = await startFakeSite();
  const paths = ['/a', '/b', '/c'];
  site.pages.set('/', pageOf('Home', { links: paths }));
  for (const path of paths) site.pages.set(path, pageOf(`Page ${path}`));
});
afterEach(() => site.close());

const crawl = (input: object = {}) => crawlSite(stack.org, { url: `${site.url}/`, ...input });
const outcomes = (id: string) => outcomesOf(stack.org, id);
const idOf = async (id: string, path: string): Promise<string> =>
  (await pagesOf(stack.org, id)).find(({ url }) => new URL(url).pathname === path).id;
const act = (id: string, action: string, body: object) => stack.org.post(`/crawl/${id}/pages/${action}`, body);
const isFound = async (id: string) =>
  (await stack.db.selectFrom('knowledge_items').select('id').where('id', '=', id).execute()).length === 1;
const fetchesOf = (path: string) => site.paths().filter((asked) => asked === path).length;

describe('a page of a datasource', () => {
  it('leaves the knowledge when a user excludes it, until it is included again', async () => {
    const { id } = await crawl();
    const page = await idOf(id, '/a');
    expect((await act(id, 'exclude', { page_ids: [page, UNKNOWN] })).body).toEqual({ affected: 1 });
    expect(await isFound(page)).toBe(false);
    await crawlAgain(stack.org, id);
    expect(await outcomes(id)).toMatchObject({ '/a': 'excluded_by_user' });
    expect(fetchesOf('/a')).toBe(1);

    expect((await act(id, 'include', { page_ids: [page] })).body).toEqual({ affected: 1 });
    expect(await untilCrawled(stack.org, id)).toMatchObject({ kind: 'pages', new_pages: 1, completed_pages: 1 });
    expect(await outcomes(id)).toMatchObject({ '/a': 'synced' });
    expect([await isFound(page), fetchesOf('/a')]).toEqual([true, 2]);
  });

  it('is stored once it is included, despite the patterns, and stays stored', async () => {
    const { id } = await crawl({ exclude_paths: ['/b'] });
    const page = await idOf(id, '/b');
    await act(id, 'include', { page_ids: [page] });
    await untilCrawled(stack.org, id);
    await crawlAgain(stack.org, id);
    expect(await outcomes(id)).toMatchObject({ '/b': 'synced' });
  });

  it('is fetched unconditionally when it is synced again, without following its links', async () => {
    site.pages.set('/a', { ...pageOf('Page /a', { links: ['/new'] }), headers: { etag: '"same"' } });
    site.pages.set('/new', { status: 404 });
    const { id } = await crawl();
    const before = site.requests.length;
    expect((await act(id, 'resync', { page_ids: [await idOf(id, '/a')] })).body).toEqual({ affected: 1 });
    expect(await untilCrawled(stack.org, id)).toMatchObject({ kind: 'pages', unchanged_pages: 1, total_pages: 1 });
    const asked = site.requests.slice(before).filter(({ path }) => path !== '/robots.txt');
    expect(asked.map(({ path, headers }) => [path, headers['if-none-match']])).toEqual([['/a', undefined]]);
  });

  it('stays away after its deletion, with or without its knowledge items', async () => {
    const { id } = await crawl();
    const [kept, gone] = [await idOf(id, '/a'), await idOf(id, '/b')];
    expect((await act(id, 'delete', { page_ids: [kept] })).body).toEqual({ affected: 1 });
    expect((await act(id, 'delete', { page_ids: [gone], delete_kb_items: true })).body).toEqual({ affected: 1 });
    expect([await isFound(kept), await isFound(gone)]).toEqual([true, false]);
    await crawlAgain(stack.org, id);
    expect(await outcomes(id)).toEqual({ '/': 'synced', '/c': 'synced' });
    expect(fetchesOf('/a') + fetchesOf('/b')).toBe(2);
    expect((await act(id, 'delete', { page_ids: [kept], delete_kb_items: true })).body).toEqual({ affected: 1 });
    expect(await isFound(kept)).toBe(false);
    expect((await stack.org.get(`/crawl/${id}`)).body.page_stats).toMatchObject({ total: 2, synced: 2 });
  });

  it('can be synced by its URL, known or not, if it is on the site', async () => {
    site.pages.set('/hidden', pageOf('Hidden'));
    const { id } = await crawl({ exclude_paths: ['/hidden'] });
    expect((await act(id, 'sync-url', { url: `${site.url}/hidden?utm_source=x#y` })).body).toEqual({ affected: 1 });
    await untilCrawled(stack.org, id);
    expect(await outcomes(id)).toMatchObject({ '/hidden?utm_source=x': 'not_found' });
    site.pages.set('/hidden?utm_source=x', pageOf('Hidden'));
    await crawlAgain(stack.org, id);
    expect(await outcomes(id)).toMatchObject({ '/hidden?utm_source=x': 'synced' });
    expect((await act(id, 'sync-url', { url: `${site.url}/hidden` })).status).toBe(200);
    const elsewhere = await act(id, 'sync-url', { url: 'http://other.example/' });
    expect([elsewhere.status, elsewhere.body.issues[0].path]).toEqual([400, 'body.url']);
  });

  it('can be synced by a redirecting URL: the target is included too', async () => {
    site.pages.set('/docs', { status: 301, headers: { location: '/docs/' } });
    site.pages.set('/docs/', pageOf('Docs'));
    const { id } = await crawl({ exclude_paths: ['/docs'] });
    expect((await act(id, 'sync-url', { url: `${site.url}/docs` })).body).toEqual({ affected: 1 });
    expect(await untilCrawled(stack.org, id)).toMatchObject({ kind: 'pages', new_pages: 1 });
    expect(await outcomes(id)).toMatchObject({ '/docs': 'redirect', '/docs/': 'synced' });
    await crawlAgain(stack.org, id);
    expect(await outcomes(id)).toMatchObject({ '/docs/': 'synced' });
  });

  it('is refused if its escaped URL is too long', async () => {
    const { id } = await crawl();
    const { status, body } = await act(id, 'sync-url', { url: `${site.url}/${'語'.repeat(900)}` });
    expect([status, body.issues[0].path]).toEqual([400, 'body.url']);
  });

  it('is fetched once more, and stays, when it is synced again during its fetch', async () => {
    site.pages.set('/a', { ...pageOf('Page /a'), delayMs: 1_500 });
    const { body } = await stack.org.post('/crawl', { url: `${site.url}/` });
    await eventually('the fetch', () => fetchesOf('/a') === 1);
    const page = await idOf(body.id, '/a');
    expect((await act(body.id, 'resync', { page_ids: [page] })).body).toEqual({ affected: 1 });
    expect(await untilCrawled(stack.org, body.id)).toMatchObject({ completed_pages: 4, new_pages: 4 });
    expect(await outcomes(body.id)).toMatchObject({ '/a': 'synced' });
    expect([await isFound(page), fetchesOf('/a')]).toEqual([true, 2]);
  });

  it('cannot be changed by another organization', async () => {
    const { id } = await crawl();
    const page = await idOf(id, '/a');
    const mine = await crawlSite(stack.other, { url: `${site.url}/` });
    for (const action of ['exclude', 'include', 'resync', 'delete']) {
      expect((await stack.other.post(`/crawl/${id}/pages/${action}`, { page_ids: [page] })).status).toBe(404);
      const answer = await stack.other.post(`/crawl/${mine.id}/pages/${action}`, { page_ids: [page] });
      expect(answer.body).toEqual({ affected: 0 });
    }
    expect(await outcomes(id)).toMatchObject({ '/a': 'synced' });
  });
});

describe('a datasource', () => {
  it('waits while it is paused, starts no crawl, and continues when resumed', async () => {
    site.pages.set('/robots.txt', { body: 'User-agent: *\nCrawl-delay: 2' });
    const { body } = await stack.org.post('/crawl', { url: `${site.url}/` });
    await eventually('the first page', () => fetchesOf('/') === 1);
    await stack.org.patch(`/crawl/${body.id}`, { status: 'paused' });
    const [job] = (await stack.org.get(`/crawl/${body.id}/crawls`)).body.items;
    const handle = stack.temporal.workflow.getHandle(`crawl/${body.id}/${job.id}`);
    await eventually('the pause', async () => {
      const { raw } = await handle.describe();
      return raw.pendingActivities?.length === 0 && site.requests.at(-1);
    });
    expect((await stack.org.post(`/crawl/${body.id}/crawls`)).status).toBe(409);
    expect((await act(body.id, 'sync-url', { url: `${site.url}/a` })).status).toBe(200); // joins the waiting crawl
    await stack.org.patch(`/crawl/${body.id}`, { status: 'active' });
    expect(await untilCrawled(stack.org, body.id)).toMatchObject({ id: job.id, status: 'completed' });
    expect(await outcomes(body.id)).toEqual({ '/': 'synced', '/a': 'synced', '/b': 'synced', '/c': 'synced' });
  });

  it('has one crawl at a time, and cancelling the crawl ends it immediately', async () => {
    site.pages.set('/robots.txt', { body: 'User-agent: *\nCrawl-delay: 3' });
    const { body } = await stack.org.post('/crawl', { url: `${site.url}/` });
    const [job] = (await stack.org.get(`/crawl/${body.id}/crawls`)).body.items;
    expect((await stack.org.post(`/crawl/${body.id}/crawls`)).status).toBe(409);
    await eventually('the first page', () => fetchesOf('/') === 1);
    const cancel = () => stack.org.post(`/crawl/${body.id}/crawls/${job.id}/cancel`);
    expect(await cancel()).toMatchObject({ status: 200, body: { id: job.id, status: 'cancelled' } });
    expect((await cancel()).status).toBe(409);
    const handle = stack.temporal.workflow.getHandle(`crawl/${body.id}/${job.id}`);
    expect(await handle.result()).toMatchObject({ status: 'ended' });
    expect((await stack.org.get(`/crawl/${body.id}/crawls/${job.id}`)).body.status).toBe('cancelled');
    expect(['/a', '/b'].map(fetchesOf)).toEqual([0, 0]); // not even the page waiting for its slot
    const pages = await pagesOf(stack.org, body.id);
    expect(pages.filter(({ status, reason }) => status !== 'synced' && reason === null)).toEqual([]);
  });

  it('leaves nothing in the knowledge when it is deleted', async () => {
    const { id } = await crawl();
    const page = await idOf(id, '/a');
    expect((await stack.org.delete(`/crawl/${id}`)).status).toBe(200);
    expect((await stack.org.get(`/crawl/${id}`)).status).toBe(404);
    await eventually('a deleted page', async () => !(await isFound(page)));
  });

  it.each([
    [{ url: 'ftp://docs.example.com/' }, 'body.url'],
    [{ url: 'http://user:secret@docs.example.com/' }, 'body.url'],
    [{ url: 'docs.example.com' }, 'body.url'],
    [{ page_limit: 0 }, 'body.page_limit'],
    [{ page_limit: 5_001 }, 'body.page_limit'],
    [{ crawl_interval_hours: 23 }, 'body.crawl_interval_hours'],
    [{ exclude_paths: ['docs'] }, 'body.exclude_paths.0'],
    [{ include_paths: ['/ok', '/***'] }, 'body.include_paths.1'],
    [{ include_paths: ['/a?b=c'] }, 'body.include_paths.0'],
    [{ include_paths: ['/*a*b*c*d*e*f*g*h*i*j*k'] }, 'body.include_paths.0'],
  ])('is refused with the name of the invalid field: %j', async (wrong, path) => {
    const { status, body } = await stack.org.post('/crawl', { url: `${site.url}/`, ...wrong });
    expect([status, body.issues]).toEqual([400, [{ path, message: expect.any(String) }]]);
  });

  it('streams the progress of its crawl until the crawl ends', async () => {
    site.pages.set('/robots.txt', { body: 'User-agent: *\nCrawl-delay: 1.5' });
    const { body } = await stack.org.post('/crawl', { url: `${site.url}/` });
    const [job] = (await stack.org.get(`/crawl/${body.id}/crawls`)).body.items;
    const url = `${stack.url}/crawl/${body.id}/crawls/${job.id}/events`;
    const stream = await openEventStream(url, { key: stack.org.key });
    await eventually('the end of the stream', () => stream.isEnded());
    const told = stream.events.map(({ type, data }) => [type, data.completed_pages]);
    expect(told.length).toBeGreaterThan(3);
    expect(told).toEqual(told.toSorted(([, a], [, b]) => a - b));
    expect(stream.events.at(-1)).toMatchObject({ type: 'progress', data: { status: 'completed', completed_pages: 4 } });
    const foreign = await openEventStream(url, { key: stack.other.key });
    expect(foreign.status).toBe(404);
  });
});
