import { isMissingNotice } from '../../src/crawl/similarity/missing-notices.rules.ts';
import { tellsNotFound } from '../../src/crawl/similarity/not-found.rules.ts';
import { createExtractor } from '../../src/extraction/service.ts';
import { type FakeSite, pageOf, startFakeSite } from '../support/fakes/site.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { outcomesOf, pagesOf } from './crawling.ts';
import { beginInline, runInline, runInlineAgain } from './inline-crawls.ts';

describe('a page that says nothing but that it is missing', () => {
  const text = 'You may try our search, or begin at the home page.';

  it.each([
    ['Page not found', `# Page not found\n\n${text}`],
    ['Page not found | Acme', text],
    ['404 - Page Not Found', text],
    ['Acme – Error 404', text],
    ['Acme', `# Oops! That page can’t be found.\n\n${text}`],
    ['Acme', '# Sorry, the page you requested was not found.\n\nGo home'],
    ['404', `# 404\n\nPage not found`],
    ['Seite nicht gefunden', 'Die angeforderte Seite wurde nicht gefunden.'],
    ['Acme', 'Die gewünschte Seite existiert leider nicht mehr.'],
    ['Page introuvable', 'Essayez la recherche.'],
    ['Acme', 'La página solicitada no existe.'],
    ['Pagina niet gevonden', text],
    ['Acme', 'ページが見つかりません'],
  ])('is one with the title %j and the text %j', (title, markdown) => {
    expect(isMissingNotice({ title, markdown })).toBe(true);
  });

  it.each([
    ['What to do when a page is not found', text],
    ['Peugeot 404', text],
    ['404', '# 404\n\nA sedan of the sixties, with a roomy boot.'],
    ['Page not found', `# Page not found\n\n${'This article explains what a server means by it. '.repeat(25)}`],
    ['Lost property', 'Your umbrella was not found in the lost property office, so you may file a claim.'],
    ['Post 404', '# Post 404\n\nThe price is 7.'],
  ])('is none with the title %j and the text %j', (title, markdown) => {
    expect(isMissingNotice({ title, markdown })).toBe(false);
  });
});

describe('words that a page is missing', () => {
  it.each([
    ['https://a.example/x', 'Error 404', true],
    ['https://a.example/x', 'HTTP 404: sorry', true],
    ['https://a.example/post/404', 'Post 404', false],
    ['https://a.example/post/2404', 'Post 2404', false],
    ['https://a.example/x', 'Call (404) 555-0100', false],
    ['https://a.example/x', 'It costs 1,404.50', false],
    ['https://a.example/post/404', 'Post 404 was not found', true],
  ])('of %s with the title %j: %s', (url, title, isTold) => {
    expect(tellsNotFound({ url, title, markdown: '' })).toBe(isTold);
  });
});

describe('a crawl', () => {
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
  beforeEach(() => {
    site.pages.clear();
    site.rest = undefined;
  });

  it.each([
    ['with a title each', (n: string) => `Post ${n}`],
    ['with one title', () => 'Post'],
  ])('keeps the pages of one template that differ by their numbers, %s', async (_, titleOf) => {
    const posts = ['404', '7', '2404', '14040'].map((n) => `/post/${n}`);
    site.pages.set('/', pageOf('Home', { links: posts }));
    site.rest = ({ path }) => {
      const [, n] = /^\/post\/(\d+)$/.exec(path) ?? [];
      return n === undefined
        ? undefined
        : pageOf(titleOf(n), { text: `This post has the number ${n} and costs 12. `.repeat(6) });
    };
    const ref = await beginInline(api, site);
    expect(await runInline(api, extractor, ref)).toMatchObject({ new_pages: 5 });
    const expected = Object.fromEntries(['/', ...posts].map((path) => [path, 'synced']));
    expect(await outcomesOf(api.org, ref.datasourceId)).toEqual(expected);
    expect(await runInlineAgain(api, extractor, ref)).toMatchObject({ unchanged_pages: 5, removed_pages: 0 });
  });

  it('keeps products that differ by their numbers from the answer for missing ones', async () => {
    const chrome =
      'Felt hats, straw hats, caps and scarves for all seasons, made by hand in a small town. We send them to every country of the world within five days, take them back for a month, and mend what is broken. Choose your size, your colour, the lining and a ribbon. ';
    const products = ['/product/404', '/product/12', '/product/13'];
    site.pages.set('/', pageOf('Home', { links: products }));
    for (const [nth, path] of products.entries())
      site.pages.set(path, pageOf('Hats', { text: `${chrome} Price: ${nth + 20}.` }));
    site.rest = ({ path }) =>
      path.startsWith('/product/') ? pageOf('Hats', { text: `${chrome} Not found.` }) : undefined;
    const ref = await beginInline(api, site);
    expect(await runInline(api, extractor, ref)).toMatchObject({ new_pages: 4 });
  });

  it('leaves out a page that says only that it is missing, although its site answers 404 for others', async () => {
    site.pages.set('/', pageOf('Home', { links: ['/old', '/article', '/kept'] }));
    const notice = pageOf('Page not found | Acme', { text: 'Sorry. Try the search.', links: ['/behind'] });
    site.pages.set('/old', notice);
    site.pages.set('/behind', pageOf('Behind'));
    site.pages.set('/article', pageOf('What to do when a page is not found'));
    site.pages.set('/kept', pageOf('Kept'));
    const ref = await beginInline(api, site);
    expect(await runInline(api, extractor, ref)).toMatchObject({ new_pages: 4 });
    expect(await outcomesOf(api.org, ref.datasourceId)).toEqual({
      '/': 'synced',
      '/old': 'soft_not_found',
      '/article': 'synced',
      '/kept': 'synced',
      '/behind': 'synced',
    });
    site.pages.set('/kept', notice);
    expect(await runInlineAgain(api, extractor, ref)).toMatchObject({ removed_pages: 1 });
    site.pages.set('/old', pageOf('Old'));
    expect(await runInlineAgain(api, extractor, ref)).toMatchObject({ new_pages: 1 });
  });

  it('says of a page that left the knowledge that it is removed and since when, in later crawls too', async () => {
    site.pages.set('/', pageOf('Home', { links: ['/never', '/a', '/b', '/kept'] }));
    const notice = pageOf('Page not found | Acme', { text: 'Sorry. Try the search.' });
    site.pages.set('/never', notice);
    for (const path of ['/a', '/b', '/kept']) site.pages.set(path, pageOf(`Page ${path}`));
    const ref = await beginInline(api, site);
    await runInline(api, extractor, ref);
    const seen = async (path: string) => {
      const pages = await pagesOf(api.org, ref.datasourceId);
      const { status, reason, removed_at } = pages.find(({ url }) => new URL(url).pathname === path) ?? {};
      return { status, reason, removed_at };
    };
    const left_out = { status: 'excluded', reason: 'soft_not_found', removed_at: null };
    expect(await seen('/never')).toEqual(left_out);
    site.pages.set('/kept', notice);
    await runInlineAgain(api, extractor, ref);
    const removed = await seen('/kept');
    const removed_at = expect.stringMatching(/Z$/);
    expect(removed).toEqual({ status: 'removed', reason: 'soft_not_found', removed_at });
    await runInlineAgain(api, extractor, ref);
    expect([await seen('/kept'), await seen('/never')]).toEqual([removed, left_out]);
    site.pages.set('/kept', { status: 404 });
    await runInlineAgain(api, extractor, ref);
    expect(await seen('/kept')).toEqual({ ...removed, reason: 'not_found' });
    site.pages.set('/kept', pageOf('It is back'));
    await runInlineAgain(api, extractor, ref);
    expect(await seen('/kept')).toEqual({ status: 'synced', reason: null, removed_at: null });
  });
});
