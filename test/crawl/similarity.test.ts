import { ignorableParametersOf } from '../../src/crawl/similarity/ignored-parameters.rules.ts';
import { type ComparedPage, isLikeMissing, missingSiblingOf } from '../../src/crawl/similarity/not-found.rules.ts';
import { type FakeSite, pageOf, startFakeSite } from '../support/fakes/site.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { crawlAgain, crawlSite, outcomesOf, pagesOf } from './crawling.ts';

describe('the parameters that change no page', () => {
  const namesOf = (...pages: [string, string][]) =>
    ignorableParametersOf(pages.map(([key, similarity]) => ({ key, similarity }))).map(({ name }) => name);

  it('are those with which at least three different pages are always the same', () => {
    const pages: [string, string][] = ['a', 'b', 'c'].flatMap((path) => [
      [`x.example/${path}?sid=1`, path],
      [`x.example/${path}?sid=2`, path],
    ]);
    expect(namesOf(...pages)).toEqual(['sid']);
    expect(namesOf(...pages.slice(0, 5))).toEqual([]);
    expect(namesOf(...pages, ['x.example/d?sid=1', 'one'], ['x.example/d?sid=2', 'another'])).toEqual([]);
    expect(namesOf(...pages, ['x.example/d?sid=1', 'one'], ['x.example/d', 'another'])).toEqual([]);
    expect(namesOf(...pages.map(([key]): [string, string] => [key, 'the same everywhere']))).toEqual([]);
    expect(
      namesOf(...pages.map(([key, similarity]): [string, string] => [`${key}&n=${similarity}`, similarity])),
    ).toEqual(['sid']);
  });

  it('are none of one page that is the same with every value', () => {
    expect(namesOf(...[1, 2, 3, 4].map((n): [string, string] => [`x.example/product?id=${n}`, 'sold out']))).toEqual(
      [],
    );
  });
});

describe('a page like the answer for missing pages', () => {
  const missing = (n: number, text = ''): ComparedPage => ({
    url: `https://x.example/shop/${n}`,
    title: `Not found: ${n}`,
    markdown: `# Sorry\n\nThe page /shop/${n} was not found. You may like [this](/${n}) ${text}`,
  });
  const page = (more: Partial<ComparedPage>): ComparedPage => ({
    ...missing(3),
    url: 'https://x.example/shop/blue-hat',
    ...more,
  });
  const isLike = (more: Partial<ComparedPage>) =>
    isLikeMissing(page(more), [missing(1, 'shoes'), missing(2, 'gloves')]);

  it('has its title and words, but for the address and what changes from answer to answer', () => {
    expect(
      isLike({
        title: 'Not found: blue-hat',
        markdown: '# Sorry\n\nThe page /shop/blue-hat was not found. You may like [this](/9) gloves',
      }),
    ).toBe(true);
    expect(isLike({ title: 'Blue hat' })).toBe(false);
    expect(isLike({ markdown: '# Blue hat\n\nA hat of felt, for the winter. It was not found to shrink.' })).toBe(
      false,
    );
    expect(isLike({ markdown: `${missing(3).markdown} A hat of felt for cold days` })).toBe(false);
  });

  it.each([
    ['https://x.example/shop/hat', 'https://x.example/shop/7'],
    ['https://x.example/shop/hat.html', 'https://x.example/shop/7.html'],
    ['https://x.example/shop/', 'https://x.example/7/'],
    ['https://x.example/', 'https://x.example/7'],
    ['https://x.example/shop?a=1&id=2', 'https://x.example/shop?a=1&id=7'],
  ])('the answer for missing pages like %s is asked for at %s', (url, sibling) => {
    expect(missingSiblingOf(url, '7').href).toBe(sibling);
  });
});

describe('a crawl', () => {
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

  const PAGES = ['/', '/a', '/b', '/c', '/d?lang=en'];

  it('stores pages with session ids in all links once, and without the ids', async () => {
    let sessions = 0;
    site.rest = ({ path }) => {
      const page = path.replace(/[?&]sid=[^&]*/, '');
      const links = PAGES.map((link) => `${link}${link.includes('?') ? '&' : '?'}sid=${++sessions}`);
      return PAGES.includes(page) ? pageOf(`Page ${page}`, { links, text: `${page} `.repeat(100) }) : undefined;
    };
    const { id, job } = await crawlSite(stack.org, { url: `${site.url}/` });
    expect(job).toMatchObject({ status: 'completed', new_pages: 5 });
    expect((await stack.org.get(`/crawl/${id}`)).body.ignored_parameters).toEqual(['sid']);
    const stored = async () =>
      (await pagesOf(stack.org, id, '&status=synced')).map(({ url }) => url.slice(site.url.length)).toSorted();
    expect(await stored()).toEqual(PAGES);
    expect(site.requests.length).toBeLessThan(120);
    await crawlAgain(stack.org, id);
    const again = await crawlAgain(stack.org, id);
    expect(again).toMatchObject({ unchanged_pages: 5, updated_pages: 0, new_pages: 0, removed_pages: 0 });
    expect(await stored()).toEqual(PAGES);
    const items = await stack.db
      .selectFrom('knowledge_items')
      .select('url')
      .where('org_id', '=', stack.org.id)
      .where('url', 'like', `${site.url}%`)
      .execute();
    expect(items.map(({ url }) => url?.slice(site.url.length)).toSorted()).toEqual(PAGES);
  });

  it('recognises session ids that change only from crawl to crawl', async () => {
    let crawl = 1;
    site.rest = ({ path }) => {
      const page = path.replace(/[?&]s=[^&]*/, '');
      const sid = /[?&]s=([^&]*)/.exec(path)?.[1] ?? `c${crawl}`;
      const links = PAGES.map((link) => `${link}${link.includes('?') ? '&' : '?'}s=${sid}`);
      return PAGES.includes(page) ? pageOf(`Page ${page}`, { links, text: `${page} `.repeat(100) }) : undefined;
    };
    const { id } = await crawlSite(stack.org, { url: `${site.url}/` });
    for (crawl = 2; crawl < 4; crawl++) await crawlAgain(stack.org, id);
    expect(await crawlAgain(stack.org, id)).toMatchObject({ unchanged_pages: 5, updated_pages: 0, new_pages: 0 });
    expect((await stack.org.get(`/crawl/${id}`)).body.page_stats.synced).toBe(5);
  });

  it('leaves out pages that are only the answer for missing pages, and says why', async () => {
    const sorry = (path: string) =>
      pageOf('Oh no', { text: `The page ${path} was not found. Try the search.`, links: ['/'] });
    const real = ['/hats/felt', '/hats/straw', '/hats/'];
    const gone = ['/hats/old', '/hats/older', '/item?id=7'];
    site.pages.set('/', pageOf('Shop', { links: [...real, ...gone, '/item?id=1', '/plain/missing'] }));
    for (const path of real)
      site.pages.set(
        path,
        pageOf(path === '/hats/' ? 'Hats' : 'A hat', { text: `${path} is made of ${path}. `.repeat(9) }),
      );
    site.pages.set(
      '/item?id=1',
      pageOf('Oh no', { text: 'This book is about things that were not found, such as the Ark.' }),
    );
    site.pages.set('/plain/missing', pageOf('What to do when a file is not found'));
    site.rest = ({ path }) => (/^\/(hats\/|item)/.test(path) ? sorry(path) : undefined);
    const { id, job } = await crawlSite(stack.org, { url: `${site.url}/` });
    expect(job).toMatchObject({ status: 'completed', new_pages: 6, removed_pages: 0 });
    const expected = {
      '/': 'synced',
      ...Object.fromEntries(real.map((path) => [path, 'synced'])),
      ...Object.fromEntries(gone.map((path) => [path, 'soft_not_found'])),
      '/item?id=1': 'synced',
      '/plain/missing': 'synced',
    };
    expect(await outcomesOf(stack.org, id)).toEqual(expected);
    const { body } = await stack.org.post('/training/search', { query: 'Oh no, try the search' });
    expect(body.results.map(({ url }: { url: string }) => url.slice(site.url.length))).not.toContain('/hats/old');

    expect(await crawlAgain(stack.org, id)).toMatchObject({ new_pages: 0, removed_pages: 0, unchanged_pages: 6 });
    expect(await outcomesOf(stack.org, id)).toEqual(expected);
    site.pages.set('/hats/old', pageOf('An old hat'));
    expect(await crawlAgain(stack.org, id)).toMatchObject({ new_pages: 1 });
    site.pages.delete('/hats/felt');
    await crawlAgain(stack.org, id);
    expect(await outcomesOf(stack.org, id)).toMatchObject({ '/hats/old': 'synced', '/hats/felt': 'soft_not_found' });
  });

  it('keeps the first of pages that are like any other address, if nothing says that they are missing', async () => {
    const same = pageOf('Welcome', { links: ['/en/a', '/en/b', '/list?page=1', '/list?page=2'] });
    site.pages.set('/', pageOf('Start', { links: ['/en/a', '/en/b', '/list?page=1', '/list?page=2'] }));
    site.rest = ({ path }) => (path.startsWith('/en/') ? same : path.startsWith('/list') ? pageOf('List') : undefined);
    site.pages.set('/list?page=2', pageOf('List', { text: 'The second page of all hats and shoes. '.repeat(5) }));
    const { id } = await crawlSite(stack.org, { url: `${site.url}/` });
    expect(await outcomesOf(stack.org, id)).toEqual({
      '/': 'synced',
      '/en/a': 'synced',
      '/en/b': 'soft_not_found',
      '/list?page=1': 'synced',
      '/list?page=2': 'synced',
    });
  });

  it('keeps parameters that tell pages apart, and those that the site needs', async () => {
    const ids = ['1', '2', '3', '4'];
    site.pages.set(
      '/',
      pageOf('Shop', {
        links: [
          ...ids.map((n) => `/product?id=${n}`),
          ...PAGES.slice(1, 4).flatMap((path) => [`${path}?k=1`, `${path}?k=2`]),
        ],
      }),
    );
    for (const n of ids) site.pages.set(`/product?id=${n}`, pageOf(n === '4' ? 'The fourth' : 'Sold out'));
    for (const path of PAGES.slice(1, 4))
      for (const k of [1, 2]) site.pages.set(`${path}?k=${k}`, pageOf(`Page ${path}`));
    const { id } = await crawlSite(stack.org, { url: `${site.url}/` });
    expect((await stack.org.get(`/crawl/${id}`)).body.ignored_parameters).toEqual([]);
    expect(await outcomesOf(stack.org, id)).toMatchObject({
      '/product?id=4': 'synced',
      '/a?k=1': 'synced',
      '/a?k=2': 'synced',
    });
  });
});
