import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { type FakeSite, pageOf, sitemapOf, startFakeSite } from '../support/fakes/site.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { crawlAgain, crawlSite, outcomesOf, pagesOf } from './crawling.ts';
import { EACH_OTHER, fillOddSite, ODD_OUTCOMES } from './odd-site.ts';

let stack: Stack;
let site: FakeSite;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8', CRAWL_DELAY_MS: '0', CHROMIUM_PATH: 'none' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  site = await startFakeSite();
});
afterEach(() => site.close());

const crawl = (input: object = {}) => crawlSite(stack.org, { url: `${site.url}/`, ...input });
const outcomes = (id: string) => outcomesOf(stack.org, id);
const synced = async (id: string) =>
  (await pagesOf(stack.org, id, '&status=synced')).map(({ url }) => new URL(url).pathname).toSorted();
const itemsOf = async (id: string) => {
  const rows = await stack.db
    .selectFrom('knowledge_items')
    .innerJoin('crawl_pages', 'crawl_pages.id', 'knowledge_items.id')
    .select('knowledge_items.url')
    .where('knowledge_items.org_id', '=', stack.org.id)
    .where('datasource_id', '=', id)
    .execute();
  return rows.map(({ url }) => new URL(url as string).pathname).toSorted();
};

/** Returns what a crawl and its datasource say of it. */
const errorsOf = async (id: string, jobId: string) => {
  const answers = await Promise.all([stack.org.get(`/crawl/${id}/crawls/${jobId}`), stack.org.get(`/crawl/${id}`)]);
  return answers.map(({ body }) => body.error_message);
};

/** Fills the site with these pages, all linked from the first. */
function fill(...paths: string[]) {
  site.pages.set('/', pageOf('Home', { links: paths }));
  for (const path of paths) site.pages.set(path, pageOf(`Page ${path}`, { links: ['/'] }));
}

describe('a crawl', () => {
  it('stores pages found by links and sitemaps, and makes them searchable', async () => {
    fill('/a', '/b');
    site.pages.set('/robots.txt', { body: `Sitemap: ${site.url}/map.xml.gz` });
    site.pages.set('/map.xml.gz', { body: gzipSync(sitemapOf([`${site.url}/only-mapped`]).body as string) });
    site.pages.set('/sitemap.xml', {
      body: `<sitemapindex><sitemap><loc>${site.url}/more.txt</loc></sitemap></sitemapindex>`,
    });
    site.pages.set('/more.txt', { body: `${site.url}/listed\nhttp://elsewhere.example/x\n` });
    for (const path of ['/only-mapped', '/listed']) site.pages.set(path, pageOf(path));
    const { id, job } = await crawl();
    expect(job).toMatchObject({ status: 'completed', kind: 'full', total_pages: 5, completed_pages: 5, new_pages: 5 });
    expect(await synced(id)).toEqual(['/', '/a', '/b', '/listed', '/only-mapped']);
    expect(await itemsOf(id)).toEqual(['/', '/a', '/b', '/listed', '/only-mapped']);
    const { body } = await stack.org.get(`/crawl/${id}`);
    expect(body).toMatchObject({
      scope: { host: site.host, path: '/' },
      display_name: site.host,
      page_stats: { total: 6, synced: 5, pending: 0, error: 0, excluded: 1 },
      active_crawl_job: null,
      error_message: null,
    });
  });

  it('ends on an odd site, fetches nothing twice, obeys all rules and records a reason for each omitted page', async () => {
    fillOddSite(site);
    const { id, job } = await crawl();
    expect(job).toMatchObject({ status: 'completed', error_message: null });
    const found = Object.entries(await outcomes(id));
    const isEachOther = ([path]: [string, string]) => EACH_OTHER.includes(path);
    expect(Object.fromEntries(found.filter((entry) => !isEachOther(entry)))).toEqual(ODD_OUTCOMES);
    expect(
      found
        .filter(isEachOther)
        .map(([, outcome]) => outcome)
        .toSorted(),
    ).toEqual(['canonical', 'synced']);
    const paths = site.paths().filter((path) => !['/busy', '/slow', '/broken', '/orphan'].includes(path));
    expect(paths.toSorted()).toEqual([...new Set(paths)].toSorted());
    expect(site.paths().filter((path) => path.startsWith('/private'))).toEqual(['/private/open']);
    expect(site.requests.every(({ headers }) => headers['user-agent'] === 'SwitchboardBot')).toBe(true);
    const { body } = await stack.org.get(`/crawl/${id}/pages?q=LATIN`);
    expect(body.items).toMatchObject([{ title: 'Grüße aus latin1', status: 'synced', http_status: 200 }]);
  });

  it('stays within the path of its start URL and its patterns; exclusion wins', async () => {
    const paths = ['/docs/', '/docs/a', '/docs/a/b', '/docs/old/c', '/docs/old', '/docsy', '/blog/x'];
    site.pages.set('/docs', pageOf('Docs', { links: paths }));
    for (const path of paths) site.pages.set(path, pageOf(path));
    const below = await crawl({ url: `${site.url}/docs`, exclude_paths: ['/docs/old', '=/docs/a'] });
    expect(await outcomes(below.id)).toEqual({
      '/docs': 'synced',
      '/docs/': 'synced',
      '/docs/a': 'excluded_path',
      '/docs/a/b': 'synced',
      '/docs/old': 'excluded_path',
      '/docs/old/c': 'excluded_path',
      '/docsy': 'outside_path',
      '/blog/x': 'outside_path',
    });
    const { body } = await stack.org.get(`/crawl/${below.id}`);
    expect(body.scope).toEqual({ host: site.host, path: '/docs' });

    const included = await crawl({ url: `${site.url}/docs`, include_paths: ['/blog', '/docs/*/b'] });
    expect(await synced(included.id)).toEqual(['/blog/x', '/docs/a/b']);
    expect(await outcomes(included.id)).toMatchObject({ '/docs': 'not_included', '/docsy': 'not_included' });
  });

  it('stores pages up to the limit, those nearest to the start first, and reports the others', async () => {
    fill('/a', '/b', '/c', '/d');
    site.pages.set('/a', pageOf('A', { status: 404 }));
    const { id, job } = await crawl({ page_limit: 3 });
    expect(job.page_limit_reached).toBe(true);
    expect(await synced(id)).toEqual(['/', '/b', '/c']);
    expect(await outcomes(id)).toMatchObject({ '/a': 'not_found', '/d': 'page_limit' });
    await stack.org.patch(`/crawl/${id}`, { page_limit: 2 });
    expect(await crawlAgain(stack.org, id)).toMatchObject({
      removed_pages: 1,
      unchanged_pages: 2,
      page_limit_reached: true,
    });
    expect(await itemsOf(id)).toEqual(['/', '/b']);
  });

  it('stores exactly as many pages as the limit when it claims several times', async () => {
    const paths = Array.from({ length: 200 }, (_, nth) => `/${nth}`);
    fill(...paths);
    site.pages.set('/7', pageOf('7', { status: 404 }));
    const { id, job } = await crawl({ page_limit: 150 });
    expect(job).toMatchObject({ new_pages: 150, page_limit_reached: true });
    expect(await synced(id)).toHaveLength(150);
  });

  it('reads bodies in the encodings that servers use, also twice', async () => {
    const html = Buffer.from(String(pageOf('Packed').body));
    const bodies: [string, string, Buffer][] = [
      ['/twice', 'gzip, gzip', gzipSync(gzipSync(html))],
      ['/unsaid', 'gzip', gzipSync(gzipSync(html))],
      ['/zlib', 'deflate', deflateSync(html)],
      ['/raw', 'deflate', deflateRawSync(html)],
      ['/mixed', 'gzip, br', brotliCompressSync(gzipSync(html))],
    ];
    fill(...bodies.map(([path]) => path));
    for (const [path, encoding, body] of bodies)
      site.pages.set(path, { headers: { 'content-encoding': encoding }, body });
    const bomb = gzipSync(gzipSync(Buffer.alloc(60_000_000)));
    site.pages.set('/bomb', { headers: { 'content-encoding': 'gzip' }, body: bomb });
    site.pages.set('/', pageOf('Home', { links: ['/bomb', ...bodies.map(([path]) => path)] }));
    const { id } = await crawl();
    expect(await synced(id)).toEqual(['/', ...bodies.map(([path]) => path)].toSorted());
    expect(await outcomes(id)).toMatchObject({ '/bomb': 'too_large' });
  });

  it('takes a canonical address of the header Link, and asks once for a page that redirects to itself', async () => {
    fill('/a', '/copy', '/self');
    const link = `<${site.url}/style.css>; rel=preload; as=style, <${site.url}/a>; rel="canonical"`;
    site.pages.set('/copy', { ...pageOf('Page /a'), headers: { link } });
    site.pages.set('/self', { status: 302, headers: { location: '/self', 'set-cookie': 'seen=1' } });
    const { id } = await crawl();
    expect(await outcomes(id)).toMatchObject({ '/a': 'synced', '/copy': 'canonical', '/self': 'redirect_loop' });
    expect(site.paths().filter((path) => path === '/self')).toHaveLength(1);
  });

  it('follows addresses in headers whose bytes are UTF-8 or any others, as browsers do', async () => {
    fill('/old', '/older', '/%C3%A4hnlich');
    const inHeader = (address: string) => Buffer.from(address, 'utf8').toString('latin1');
    site.pages.set('/old', { status: 301, headers: { location: inHeader('/größe') } });
    site.pages.set('/gr%C3%B6%C3%9Fe', pageOf('Größe'));
    site.pages.set('/older', { status: 301, headers: { location: '/gr\xf6ber' } });
    site.pages.set('/gr%F6ber', pageOf('Gröber'));
    const link = inHeader(`<${site.url}/größe>; rel="canonical"`);
    site.pages.set('/%C3%A4hnlich', { ...pageOf('Größe'), headers: { link } });
    const { id } = await crawl();
    expect(await outcomes(id)).toMatchObject({
      '/old': 'redirect',
      '/gr%C3%B6%C3%9Fe': 'synced',
      '/older': 'redirect',
      '/gr%F6ber': 'synced',
      '/%C3%A4hnlich': 'canonical',
    });
  });

  it('fails with a reason if nothing could be fetched, and removes nothing', async () => {
    site.pages.set('/robots.txt', { status: 503 });
    fill('/a');
    const { id, job } = await crawl();
    expect(job.page_limit_reached).toBe(false);
    expect(job.status).toBe('failed');
    expect(job.error_message).toContain('robots_unreachable');
    expect(site.paths()).toEqual(['/robots.txt', '/robots.txt']);
    site.pages.set('/robots.txt', { status: 404 });
    expect((await crawlAgain(stack.org, id)).status).toBe('completed');
    site.pages.set('/robots.txt', { body: 'User-agent: *\nDisallow: /' });
    expect((await crawlAgain(stack.org, id)).status).toBe('failed');
    expect(await itemsOf(id)).toEqual(['/', '/a']);
  });

  it('keeps the crawl delay of a host, also when several datasources crawl it', async () => {
    site.pages.set('/robots.txt', { body: 'User-agent: switchboardbot\nCrawl-delay: 1' });
    fill('/a', '/b');
    await Promise.all([crawl(), crawlSite(stack.other, { url: `${site.url}/` })]);
    const times = site.requests.filter(({ path }) => path !== '/robots.txt').map(({ at }) => at);
    expect(times).toHaveLength(8);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    // A busy machine notices one request late, and the next one in time.
    expect(Math.min(...gaps)).toBeGreaterThan(500);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(6_900);
  });

  it('waits for the time requested by a busy host', async () => {
    fill('/a');
    let asked = 0;
    site.pages.set('/a', () => (asked++ === 0 ? { status: 429, headers: { 'retry-after': '3' } } : pageOf('A')));
    const { id } = await crawl();
    expect(await synced(id)).toEqual(['/', '/a']);
    const [first = 0, second = 0] = site.requests.filter(({ path }) => path === '/a').map(({ at }) => at);
    expect(second - first).toBeGreaterThan(2_900);
  });
});

describe('a repeated crawl', () => {
  it('fetches conditionally, reports changes, and follows the links of unchanged pages', async () => {
    fill('/a', '/b', '/c');
    const etagOf = new Map([['/', '"1"']]);
    const home = site.pages.get('/') as ReturnType<typeof pageOf>;
    site.pages.set('/', ({ headers }) =>
      headers['if-none-match'] === etagOf.get('/')
        ? { status: 304 }
        : { ...home, headers: { etag: etagOf.get('/') as string } },
    );
    const { id } = await crawl();
    const before = site.requests.length;
    site.pages.set('/b', pageOf('Page /b', { text: `${'It was rewritten from the ground up. '.repeat(8)}` }));
    site.pages.set('/c', pageOf('Page /c', { links: ['/d', '/'] }));
    site.pages.set('/d', pageOf('D'));
    const job = await crawlAgain(stack.org, id);
    expect(job).toMatchObject({
      new_pages: 1,
      updated_pages: 1,
      unchanged_pages: 3,
      removed_pages: 0,
      completed_pages: 5,
    });
    expect(site.requests.slice(before).filter(({ path }) => path === '/')).toMatchObject([
      { headers: { 'if-none-match': '"1"' } },
    ]);
    const { body } = await stack.org.get(`/crawl/${id}/crawls/${job.id}/changes`);
    const byKind = Object.fromEntries(body.items.map((change: { kind: string }) => [change.kind, change]));
    expect(byKind).toMatchObject({ new: { title: 'D', diff: null }, updated: { title: 'Page /b' } });
    expect(byKind.updated.diff).toMatch(/^-This is what(.|\n)*^\+It was rewritten/m);
    expect((await stack.org.get(`/crawl/${id}/crawls/${job.id}/changes?kind=removed`)).body.items).toEqual([]);
  });

  it('removes a page missing twice or unlinked twice, but not one failing temporarily', async () => {
    const stay = ['/1', '/2', '/3', '/4', '/5', '/6'];
    fill(...stay, '/gone', '/unlinked', '/failing');
    const { id } = await crawl();
    site.pages.set('/', pageOf('Home', { links: [...stay, '/gone', '/failing'] }));
    site.pages.set('/gone', { status: 410 });
    site.pages.set('/failing', { status: 404 });
    await crawlAgain(stack.org, id);
    expect(await outcomes(id)).toMatchObject({
      '/gone': 'synced, not_found',
      '/failing': 'synced, not_found',
      '/unlinked': 'synced',
    });
    site.pages.set('/failing', pageOf('Page /failing'));
    expect(await crawlAgain(stack.org, id)).toMatchObject({ removed_pages: 2, held_pages: 0, error_message: null });
    expect(await outcomes(id)).toMatchObject({ '/gone': 'not_found', '/unlinked': 'unseen', '/failing': 'synced' });
    expect(await itemsOf(id)).toEqual(['/', ...stay, '/failing'].toSorted());
    expect(await pagesOf(stack.org, id, '&status=removed')).toHaveLength(2);
  });

  it('defers removals when too many pages are missing at once, until a user releases them', async () => {
    fill('/a', '/b', '/c');
    const { id } = await crawl();
    for (const path of ['/b', '/c']) site.pages.set(path, { status: 404 });
    await crawlAgain(stack.org, id);
    const job = await crawlAgain(stack.org, id);
    expect(job).toMatchObject({ status: 'completed', removed_pages: 0, held_pages: 2 });
    expect(job.error_message).toContain('2 of 4 pages');
    expect(await outcomes(id)).toMatchObject({ '/b': 'synced, removal_held', '/c': 'synced, removal_held' });
    expect(await itemsOf(id)).toEqual(['/', '/a', '/b', '/c']);
    expect(await errorsOf(id, job.id)).toEqual([job.error_message, job.error_message]);
    const [first] = (await stack.org.get(`/crawl/${id}/crawls`)).body.items;
    const unseen = await stack.org.post(`/crawl/${id}/crawls/${first.id}/removals`);
    expect([unseen.status, unseen.body.message]).toEqual([409, expect.stringContaining('this crawl has held back 0')]);
    const released = await stack.org.post(`/crawl/${id}/crawls/${job.id}/removals`);
    expect([released.status, released.body]).toEqual([200, { affected: 2 }]);
    expect(await itemsOf(id)).toEqual(['/', '/a']);
    expect((await stack.org.get(`/crawl/${id}/crawls/${job.id}`)).body).toMatchObject({
      removed_pages: 2,
      held_pages: 0,
    });
    expect(await errorsOf(id, job.id)).toEqual([null, null]);
    const gone = { reason: 'not_found', detail: null };
    expect(await pagesOf(stack.org, id, '&status=removed')).toMatchObject([gone, gone]);
  });

  it('leaves nothing held by a later crawl when removals are decided by an earlier one that shows the same', async () => {
    fill('/a', '/b', '/c');
    const { id } = await crawl();
    for (const path of ['/b', '/c']) site.pages.set(path, { status: 404 });
    await crawlAgain(stack.org, id);
    const job = await crawlAgain(stack.org, id);
    const later = await crawlAgain(stack.org, id);
    expect(later).toMatchObject({ held_pages: 2 });
    expect((await stack.org.delete(`/crawl/${id}/crawls/${job.id}/removals`)).body).toEqual({ affected: 2 });
    const held = async (jobId: string) => (await stack.org.get(`/crawl/${id}/crawls/${jobId}`)).body.held_pages;
    expect([await held(job.id), await held(later.id)]).toEqual([0, 0]);
    expect(JSON.stringify((await stack.org.get('/org/attention')).body)).not.toContain(id);
  });

  it('keeps what a later crawl says of the datasource when removals are decided', async () => {
    fill('/a', '/b', '/c');
    const { id } = await crawl();
    for (const path of ['/b', '/c']) site.pages.set(path, { status: 404 });
    await crawlAgain(stack.org, id);
    const job = await crawlAgain(stack.org, id);
    await stack.db
      .updateTable('datasources')
      .set({ error_message: 'No page could be stored' })
      .where('id', '=', id)
      .execute();
    await stack.org.post(`/crawl/${id}/crawls/${job.id}/removals`);
    expect(await errorsOf(id, job.id)).toEqual([null, 'No page could be stored']);
  });

  it('keeps pages whose removal a user refuses, until two more crawls find them gone', async () => {
    fill('/a', '/b', '/c');
    const { id } = await crawl();
    for (const path of ['/b', '/c']) site.pages.set(path, { status: 404 });
    await crawlAgain(stack.org, id);
    const job = await crawlAgain(stack.org, id);
    expect(await pagesOf(stack.org, id, '&reason=removal_held')).toHaveLength(2);
    const [first] = (await stack.org.get(`/crawl/${id}/crawls`)).body.items;
    expect(await stack.org.delete(`/crawl/${id}/crawls/${first.id}/removals`)).toMatchObject({ status: 409 });
    const kept = await stack.org.delete(`/crawl/${id}/crawls/${job.id}/removals`);
    expect([kept.status, kept.body]).toEqual([200, { affected: 2 }]);
    expect((await stack.org.get(`/crawl/${id}/crawls/${job.id}`)).body).toMatchObject({
      removed_pages: 0,
      held_pages: 0,
    });
    expect(await errorsOf(id, job.id)).toEqual([null, null]);
    expect(await outcomes(id)).toMatchObject({ '/b': 'synced', '/c': 'synced' });
    expect(await crawlAgain(stack.org, id)).toMatchObject({ removed_pages: 0, held_pages: 0 });
    expect(await crawlAgain(stack.org, id)).toMatchObject({ removed_pages: 0, held_pages: 2 });
    expect(await itemsOf(id)).toEqual(['/', '/a', '/b', '/c']);
  });

  it('defers removals when all pages redirect to one, but not those with separate targets', async () => {
    fill('/a', '/b', '/c');
    const { id } = await crawl();
    for (const path of ['/a', '/b', '/c']) site.pages.set(path, { status: 302, headers: { location: '/login' } });
    fill('/login');
    const job = await crawlAgain(stack.org, id);
    expect(job).toMatchObject({ status: 'completed', new_pages: 1, removed_pages: 1, held_pages: 2 });
    for (const path of ['/a', '/b', '/c']) site.pages.set(path, { status: 301, headers: { location: `/new${path}` } });
    fill('/new/a', '/new/b', '/new/c');
    expect(await crawlAgain(stack.org, id)).toMatchObject({ new_pages: 3, removed_pages: 2, held_pages: 0 });
    expect(await itemsOf(id)).toEqual(expect.arrayContaining(['/', '/new/a', '/new/b', '/new/c']));
  });

  it('immediately removes pages excluded by changed patterns', async () => {
    fill('/a', '/b', '/c');
    const { id } = await crawl();
    await stack.org.patch(`/crawl/${id}`, { exclude_paths: ['/b', '/c'] });
    expect(await crawlAgain(stack.org, id)).toMatchObject({ removed_pages: 2, unchanged_pages: 2 });
    expect(await itemsOf(id)).toEqual(['/', '/a']);
    expect(await outcomes(id)).toMatchObject({ '/b': 'excluded_path', '/c': 'excluded_path' });
  });
});

describe('the workflow of a crawl', () => {
  it('has an id from its datasource and job, and search attributes for operators', async () => {
    fill('/a');
    const { id, job } = await crawl();
    const handle = stack.temporal.workflow.getHandle(`crawl/${id}/${job.id}`);
    const result = await handle.result();
    expect(result).toEqual({ status: 'completed', pages: 2, changed: 2, removed: 0 });
    const { typedSearchAttributes } = await handle.describe();
    const values = Object.fromEntries([...typedSearchAttributes.getAll()].map(({ key, value }) => [key.name, value]));
    expect(values).toMatchObject({ OrgId: stack.org.id, SubjectId: id, Kind: 'crawl' });
  });

  it('is started by a Schedule that follows the settings of the datasource', async () => {
    fill('/a');
    const { id } = await crawl({ auto_start_crawl: true, crawl_interval_hours: 48 });
    const schedule = stack.temporal.schedule.getHandle(`crawl-schedule/${id}`);
    const described = () => schedule.describe().catch(() => undefined);
    const made = await eventually('the schedule', described);
    expect(made.policies.overlap).toBe('SKIP');
    const [first, second] = made.info.nextActionTimes;
    const { created_at } = (await stack.org.get(`/crawl/${id}`)).body;
    expect(first?.getTime()).toBeCloseTo(Date.parse(created_at) + 48 * 3_600_000, -4);
    expect((second?.getTime() ?? 0) - (first?.getTime() ?? 0)).toBe(48 * 3_600_000);
    await schedule.trigger();
    await eventually('the crawl', async () => (await stack.org.get(`/crawl/${id}/crawls`)).body.items.length === 2);
    await stack.org.patch(`/crawl/${id}`, { crawl_interval_hours: 100_000 });
    await eventually('the longer interval', async () => {
      const now = await described();
      return now?.spec.intervals?.[0]?.every === 100_000 * 3_600_000;
    });
    await stack.org.patch(`/crawl/${id}`, { crawl_interval_hours: null });
    await eventually('the end of it', async () => (await described()) === undefined);
  });
});
