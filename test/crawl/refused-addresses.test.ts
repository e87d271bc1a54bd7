import { keysOf } from '../../src/crawl/scope/urls.rules.ts';
import { createExtractor } from '../../src/extraction/service.ts';
import { type FakeSite, pageOf, sitemapOf, startFakeSite } from '../support/fakes/site.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { outcomesOf, pagesOf } from './crawling.ts';
import { beginInline, runInline, runInlineAgain } from './inline-crawls.ts';

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
beforeEach(() => site.pages.clear());

it('an address that is too long has its reason, wherever it was found, and is never fetched', async () => {
  const long = (name: string, length: number) => `/${name}/${'a'.repeat(length)}`;
  site.pages.set('/', pageOf('Home', { links: [long('link', 2_100), long('longer', 3_000), '/moved'] }));
  site.pages.set('/sitemap.xml', sitemapOf([long('sitemap', 5_000)]));
  site.pages.set('/moved', { status: 302, headers: { location: long('target', 3_000) } });
  const ref = await beginInline(api, site);
  expect(await runInline(api, extractor, ref)).toMatchObject({ new_pages: 1, dropped_urls: 0 });
  const pages = await pagesOf(api.org, ref.datasourceId);
  const reasons = pages.map(({ url, reason }) => [new URL(url).pathname.split('/')[1], reason]);
  expect(Object.fromEntries(reasons)).toEqual({
    '': null,
    link: 'too_long_url',
    longer: 'too_long_url',
    sitemap: 'too_long_url',
    target: 'too_long_url',
    moved: 'redirect',
  });
  const page_ids = pages.filter(({ reason }) => reason === 'too_long_url').map(({ id }) => id);
  for (const action of ['include', 'resync'])
    expect((await api.org.post(`/crawl/${ref.datasourceId}/pages/${action}`, { page_ids })).body).toEqual({
      affected: 0,
    });
  expect(await runInlineAgain(api, extractor, ref)).toMatchObject({ unchanged_pages: 1, new_pages: 0 });
  expect(site.paths().filter((path) => path.length > 2_000)).toEqual([]);
});

it('keys of long addresses fit into the index, and differ while the addresses may be fetched', () => {
  const keyOf = (end: string) => keysOf(new URL(`http://a.example/?q=${'~*'.repeat(950)}${end}`)).key;
  expect(keyOf('1').length).toBeLessThanOrEqual(2_400);
  expect(keysOf(new URL(`http://a.example/${'a'.repeat(5_000)}`)).key).toHaveLength(2_400);
  expect(keyOf('1')).not.toBe(keyOf('2'));
});

it('an address that redirects to itself until a cookie is set says so, directly or by way of another', async () => {
  const cookie = { 'set-cookie': 'seen=1' };
  const moved = (location: string, headers = {}) => ({ status: 302, headers: { location, ...headers } });
  site.pages.set('/', pageOf('Home', { links: ['/self', '/session', '/plain', '/wall', '/one', '/fine'] }));
  site.pages.set('/self', moved('/self', cookie));
  site.pages.set('/plain', moved('/plain'));
  let sessions = 0;
  site.rest = ({ path }) =>
    path.startsWith('/session') ? moved(`/session?PHPSESSID=${++sessions}`, cookie) : undefined;
  site.pages.set('/wall', moved('/check?cookie=1', cookie));
  site.pages.set('/check?cookie=1', moved('/wall'));
  site.pages.set('/one', moved('/two'));
  site.pages.set('/two', moved('/three'));
  site.pages.set('/three', moved('/one'));
  site.pages.set('/fine', moved('/target'));
  site.pages.set('/target', pageOf('Target'));
  const ref = await beginInline(api, site);
  await runInline(api, extractor, ref);
  expect(await outcomesOf(api.org, ref.datasourceId)).toEqual({
    '/': 'synced',
    '/self': 'redirect_loop',
    '/session?PHPSESSID=6': 'redirect_loop',
    '/plain': 'redirect_loop',
    '/wall': 'redirect_loop',
    '/check?cookie=1': 'redirect_loop',
    '/one': 'redirect_loop',
    '/two': 'redirect_loop',
    '/three': 'redirect_loop',
    '/fine': 'redirect',
    '/target': 'synced',
  });
  const pages = await pagesOf(api.org, ref.datasourceId);
  const detailOf = (path: string) => pages.find(({ url }) => url === site.url + path).detail;
  const untilCookie = 'It redirects to itself until a cookie is set, and crawls keep no cookies';
  expect([detailOf('/self'), detailOf('/plain')]).toEqual([untilCookie, 'It redirects to itself']);
  const session = pages.find(({ url }) => url.includes('/session'));
  expect(session.detail).toBe(untilCookie);
  expect(detailOf('/wall')).toBe(`${site.url}/check?cookie=1`);
});
