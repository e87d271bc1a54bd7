import { fetchSitemap } from '../../src/crawl/fetching/sitemaps.ts';
import { createExtractor } from '../../src/extraction/service.ts';
import { type FakeSite, pageOf, sitemapOf, startFakeSite } from '../support/fakes/site.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { outcomesOf } from './crawling.ts';
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

const SM = 'xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9"';
const IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';

describe('the entries of a sitemap', () => {
  const read = async (body: string) => {
    site.pages.set('/maps/map.xml', { body });
    const { urls, sitemaps, problem } = await fetchSitemap(api.deps.egress, `${site.url}/maps/map.xml`);
    const paths = (addresses: string[]) => addresses.map((address) => address.replace(site.url, ''));
    return { urls: paths(urls), sitemaps: paths(sitemaps), problem };
  };

  it.each([
    [
      'whose namespace has a prefix',
      `<sm:urlset ${SM}><sm:url><sm:loc>http://a.example/1</sm:loc></sm:url></sm:urlset>`,
      ['http://a.example/1'],
    ],
    [
      'with the addresses of images, which are no pages',
      `<urlset ${IMAGE}><url><loc>http://a.example/1</loc><image:image><image:loc>http://a.example/1.png</image:loc></image:image></url></urlset>`,
      ['http://a.example/1'],
    ],
    [
      'with relative addresses, white space and CDATA',
      '<urlset><url><loc>/1</loc></url><url><loc> 2?a=1&amp;b=2 </loc></url><url><loc><![CDATA[http://a.example/3?x&y]]></loc></url></urlset>',
      ['/1', '/maps/2?a=1&b=2', 'http://a.example/3?x&y'],
    ],
    [
      'as RSS 2.0',
      '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>http://a.example/</link><atom:link rel="self" href="/rss"/><item><title>One</title><link>http://a.example/1</link></item><item><link>/2</link></item></channel></rss>',
      ['http://a.example/1', '/2'],
    ],
    [
      'as RSS 1.0',
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel><link>http://a.example/</link></channel><item><link>http://a.example/1</link></item></rdf:RDF>',
      ['http://a.example/1'],
    ],
    [
      'as Atom',
      '<feed xmlns="http://www.w3.org/2005/Atom"><link href="/feed" rel="self"/><entry><link href="http://a.example/1"/><link rel="enclosure" href="/1.mp3"/><source><link href="/source"/></source></entry><entry><link rel="alternate" href="/2"/></entry></feed>',
      ['http://a.example/1', '/2'],
    ],
    [
      'as Atom with a prefix',
      '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:link href="/1"/></a:entry></a:feed>',
      ['/1'],
    ],
    [
      'with a text in its entries that is nested deeply',
      `<feed><entry><content type="xhtml">${'<div>'.repeat(30)}text${'</div>'.repeat(30)}</content><link href="/1"/></entry></feed>`,
      ['/1'],
    ],
    ['as text, absolute or from the root', 'http://a.example/1\r\n/2\n\nno address\n', ['http://a.example/1', '/2']],
  ])('%s are its pages', async (_, body, urls) => {
    expect(await read(body)).toEqual({ urls, sitemaps: [], problem: null });
  });

  it.each([
    ['a prefix', `<sm:sitemapindex ${SM}><sm:sitemap><sm:loc>b.xml</sm:loc></sm:sitemap></sm:sitemapindex>`],
    ['an index that calls them pages', '<sitemapindex><url><loc>b.xml</loc></url></sitemapindex>'],
  ])('of an index with %s are its sitemaps', async (_, body) => {
    expect(await read(body)).toEqual({ urls: [], sitemaps: ['/maps/b.xml'], problem: null });
  });

  it.each([
    ['', 'It is empty'],
    ['<urlset></urlset>', 'It lists no addresses'],
    ['<urlset><url><loc>not an address</loc></url></urlset>', 'It lists no addresses'],
    ['Coming soon', 'It lists no addresses'],
    [
      '<!doctype html><html><body>Home</body></html>',
      'It is neither a sitemap nor a feed: its first element is <html>',
    ],
  ])('%j are none, for a reason', async (body, problem) => {
    expect(await read(body)).toEqual({ urls: [], sitemaps: [], problem });
  });

  it('that is too long is not cut to another address', async () => {
    const { urls } = await read(`<urlset><url><loc>http://a.example/${'a'.repeat(9_000)}</loc></url></urlset>`);
    expect(urls.map(({ length }) => length)).toEqual([2_001]);
  });
});

describe('a crawl', () => {
  it('follows sitemaps listed as pages, and treats a page called like one as a page', async () => {
    site.pages.set('/', pageOf('Home'));
    for (const path of ['/1', '/2', '/3', '/guide.xml']) site.pages.set(path, pageOf(`Page ${path}`));
    site.pages.set('/sitemap.xml', sitemapOf(['/1', '/pages.xml', `${site.url}/feed.xml`, '/guide.xml']));
    site.pages.set('/pages.xml', sitemapOf([`${site.url}/2`, '/pages.xml']));
    site.pages.set('/feed.xml', { body: '<rss><channel><item><link>/3</link></item></channel></rss>' });
    const ref = await beginInline(api, site);
    expect(await runInline(api, extractor, ref)).toMatchObject({ status: 'completed', sitemap_problems: [] });
    expect(await outcomesOf(api.org, ref.datasourceId)).toEqual({
      '/': 'synced',
      '/1': 'synced',
      '/2': 'synced',
      '/3': 'synced',
      '/guide.xml': 'synced',
    });
    expect(site.paths().filter((path) => path === '/pages.xml')).toHaveLength(1);
  });

  it('reports the sitemaps that give nothing, and why, until they give something', async () => {
    site.pages.set('/', pageOf('Home'));
    const listed = ['/gone.xml', '/empty.xml', '/broken.xml.gz', 'http://[bad'];
    site.pages.set('/robots.txt', { body: listed.map((address) => `Sitemap: ${address}`).join('\n') });
    site.pages.set('/empty.xml', sitemapOf([]));
    site.pages.set('/broken.xml.gz', { body: Buffer.from([0x1f, 0x8b, 1, 2, 3]) });
    const ref = await beginInline(api, site);
    const { sitemap_problems: problems } = await runInline(api, extractor, ref);
    expect(problems).toEqual([
      { url: `${site.url}/gone.xml`, problem: 'It was answered with status 404' },
      { url: `${site.url}/empty.xml`, problem: 'It lists no addresses' },
      { url: `${site.url}/broken.xml.gz`, problem: 'It cannot be unpacked' },
      { url: 'http://[bad', problem: 'robots.txt lists it, but it is no address' },
    ]);
    site.pages.set('/robots.txt', { status: 404 });
    expect(await runInlineAgain(api, extractor, ref)).toMatchObject({ sitemap_problems: [] });
    site.pages.set('/sitemap.xml', pageOf('Home'));
    expect(await runInlineAgain(api, extractor, ref)).toMatchObject({
      sitemap_problems: [{ url: `${site.url}/sitemap.xml` }],
    });
  });
});
