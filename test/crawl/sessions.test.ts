import { keysOf } from '../../src/crawl/scope/urls.rules.ts';
import { createExtractor } from '../../src/extraction/service.ts';
import { textHashOf } from '../../src/extraction/text-hash.ts';
import { type FakeSite, pageOf, startFakeSite } from '../support/fakes/site.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { outcomesOf } from './crawling.ts';
import { beginInline, runInline, runInlineAgain } from './inline-crawls.ts';

describe('the hash of a text', () => {
  const isSame = (one: string, other: string) => {
    const hashOf = (address: string) => textHashOf(`See [this](${address}) and that.`);
    return hashOf(one) === hashOf(other);
  };

  it.each([
    ['/a?PHPSESSID=1', '/a?PHPSESSID=2'],
    ['/a?x=1&phpsessid=abc&y=2', '/a?x=1&phpsessid=def&y=2'],
    ['/a;jsessionid=0AB1.node1', '/a;jsessionid=9CD2.node2'],
    ['/a;jsessionid=0AB1!123?x=1', '/a;jsessionid=9CD2!456?x=1'],
    ['/a.asp?ASPSESSIONIDQACCRSTA=A', '/a.asp?ASPSESSIONIDQACCRSTA=B'],
    ['/a?CFID=1&CFTOKEN=2', '/a?CFID=3&CFTOKEN=4'],
    ['/a?sid=4f1c2ab9', '/a?sid=9e07aa31'],
    ['/a?session_id=0af6c2c0-8f4e-4d4b-9a3c-1c9bb1c0a6ef', '/a?session_id=3b0f4e5a-1111-4d4b-9a3c-1c9bb1c0a6ef'],
    ['/%28S%28lit3py55t21z5v55vlm25s55%29%29/a.aspx', '/%28S%28abc3py55t21z5v55vlm25s99%29%29/a.aspx'],
  ])('is the same with the link %s and %s', (one, other) => {
    expect(isSame(one, other)).toBe(true);
  });

  it.each([
    ['/a?id=1', '/a?id=2'],
    ['/a?sid=3', '/a?sid=4'],
    ['/a?session=opening', '/a?session=closing'],
    ['/a?PHPSESSID=1&page=1', '/a?PHPSESSID=1&page=2'],
    ['/a;jsessionid=1', '/b;jsessionid=1'],
  ])('differs with the link %s and %s', (one, other) => {
    expect(isSame(one, other)).toBe(false);
  });
});

it('addresses of a page with session ids in their paths have one key', () => {
  const keys = ['/a', '/a;jsessionid=1', '/a;PHPSESSID=2', '/(S(lit3py55t21z5v55vlm25s55))/a'].map(
    (path) => keysOf(new URL(`http://a.example${path}`)).key,
  );
  expect(new Set(keys)).toEqual(new Set(['a.example/a']));
});

describe('a repeated crawl', () => {
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

  it.each([
    ['PHPSESSID', (id: string) => `?PHPSESSID=${id}`],
    ['jsessionid', (id: string) => `;jsessionid=${id}`],
    ['sid', (id: string) => `?sid=${id}`],
  ])('finds pages unchanged whose links have another %s each time', async (_, session) => {
    let crawl = 1;
    site.rest = ({ path }) => {
      const page = path.replace(/[;?].*/, '');
      if (!['/', '/a', '/b'].includes(page)) return undefined;
      const link = (to: string) => `<a href="${to}${session(`0d${crawl}f3a9c5b7e1d2f4`)}">page ${to}</a>`;
      return pageOf(`Page ${page}`, { text: `${page} is described on ${link('/a')} and ${link('/b')}. `.repeat(5) });
    };
    const ref = await beginInline(api, site);
    await runInline(api, extractor, ref);
    crawl = 2;
    expect(await runInlineAgain(api, extractor, ref)).toMatchObject({ updated_pages: 0 });
    const stored = Object.values(await outcomesOf(api.org, ref.datasourceId)).filter((one) => one === 'synced');
    expect(stored.length).toBeGreaterThanOrEqual(3);
  });
});
