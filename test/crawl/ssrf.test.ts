import { Duplex } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createCrawlActivities } from '../../activities/crawl.ts';
import { createExtractor, type Extractor } from '../../src/extraction/service.ts';
import { createEgress, type EgressOptions } from '../../src/providers/egress/egress.ts';
import { pageOf, type SiteAnswer } from '../support/fakes/site.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { outcomesOf } from './crawling.ts';

const PUBLIC = '93.184.216.34';

let api: TestApi;
let extractor: Extractor;
beforeAll(async () => {
  api = await startApi();
  extractor = createExtractor();
});
afterAll(async () => {
  await extractor.close();
  await api.close();
});

interface World {
  /** Answers by host and path; 404 for others. */
  pages: Record<string, SiteAnswer>;
  /**
   * Addresses of hosts, for one look-up after the other; the last one is repeated. Other hosts have public addresses.
   */
  dns?: Record<string, string[][]>;
}

/**
 * Creates an egress client with pipes in memory instead of sockets: nothing leaves this machine, whatever the guard
 * allows.
 */
function egressInto({ pages, dns = {} }: World) {
  const reached: string[] = [];
  const asked: string[] = [];
  const connect = ((options: { hostname: string }, done: (error: null, socket: Duplex) => void) => {
    reached.push(options.hostname);
    let request = '';
    const socket = new Duplex({
      read() {},
      write(chunk, _encoding, next) {
        request += String(chunk);
        next();
        if (!request.includes('\r\n\r\n')) return;
        const [, path] = /^GET (\S+)/.exec(request) ?? [];
        const [, host] = /^host: (\S+)/im.exec(request) ?? [];
        asked.push(`${host}${path}`);
        socket.push(wire(pages[`${host}${path}`] ?? { status: 404 }));
      },
    });
    queueMicrotask(() =>
      done(null, Object.assign(socket, { setKeepAlive: () => socket, setNoDelay: () => socket, ref() {}, unref() {} })),
    );
    return socket;
  }) as unknown as EgressOptions['connect'];
  const lookup = async (host: string) => {
    const answers = dns[host] ?? [[PUBLIC]];
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
  };
  return { reached, asked, egress: createEgress({ allow: [], lookup, connect }) };
}

function wire({ status = 200, headers = {}, body = '' }: SiteAnswer): Buffer {
  const all = {
    'content-type': 'text/html',
    connection: 'close',
    'content-length': Buffer.byteLength(body),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

/** Crawls from this URL to the end, as the workflow does. */
async function crawl(url: string, world: World) {
  const { egress, reached, asked } = egressInto(world);
  const crawling = { egress, extractor, delayMs: 0 };
  const activities = createCrawlActivities({ db: api.db, crawling, stopping: new AbortController().signal });
  const { body } = await api.org.post('/crawl', { url, crawl_interval_hours: null });
  const { active_crawl_job: job } = (await api.org.get(`/crawl/${body.id}`)).body;
  const ref = { orgId: api.org.id, datasourceId: body.id, jobId: job.id };
  const run = <T>(work: () => Promise<T>): Promise<T> => new MockActivityEnvironment().run(work);
  await run(() => activities.seedCrawl(ref));
  for (let batch = 1; ; batch++) {
    const { state } = await run(() => activities.crawlBatch({ ...ref, batch }));
    if (state !== 'running') break;
    await api.db
      .updateTable('crawl_pages')
      .set({ due_at: new Date(0) })
      .where('is_queued', '=', true)
      .execute(); // sets all pages due, without waiting
  }
  await run(() => activities.finishCrawl(ref));
  await egress.close();
  return { reached, asked, outcomes: await outcomesOf(api.org, body.id) };
}

const NOT_PUBLIC = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '168.63.129.16',
  '100.64.0.1',
  '0.0.0.0',
  '::1',
  'fd00::1',
  'fe80::1',
  'fd00:ec2::254',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '64:ff9b::7f00:1',
];
const LITERALS = [
  ...NOT_PUBLIC.map((address) => (address.includes(':') ? `http://[${address}]/` : `http://${address}/`)),
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://１２７.０.０.１/',
];

describe('an address outside the public Internet is never contacted', () => {
  it.each(LITERALS)('as the start URL: %s', async (url) => {
    const { reached, outcomes } = await crawl(url, { pages: {} });
    expect(reached).toEqual([]);
    expect(Object.values(outcomes)).toEqual(['refused_address']);
  });

  it.each(NOT_PUBLIC)('by a name resolving to %s', async (address) => {
    const { reached, outcomes } = await crawl('http://evil.example/', {
      pages: {},
      dns: { 'evil.example': [[address]] },
    });
    expect(reached).toEqual([]);
    expect(Object.values(outcomes)).toEqual(['refused_address']);
  });

  it.each(LITERALS)('by a redirect, link, canonical, refresh, sitemap or robots.txt: %s', async (target) => {
    const home = pageOf('Home', {
      links: [target, '/moved', '/refreshed', '/canonical'],
    });
    const { reached, asked, outcomes } = await crawl('http://site.example/', {
      pages: {
        'site.example/': home,
        'site.example/moved': { status: 302, headers: { location: new URL(target).href } },
        'site.example/refreshed': pageOf('Refreshed', {
          head: `<meta http-equiv="refresh" content="0;url=${target}">`,
        }),
        'site.example/canonical': pageOf('Canonical', { head: `<link rel="canonical" href="${target}">` }),
        'site.example/robots.txt': { body: `Sitemap: ${target}sitemap.xml\nSitemap: http://site.example/map.xml` },
        'site.example/map.xml': { body: `<sitemapindex><sitemap><loc>${target}</loc></sitemap></sitemapindex>` },
        'site.example/sitemap.xml': { body: `<urlset><url><loc>${target}</loc></url></urlset>` },
      },
    });
    expect(new Set(reached)).toEqual(new Set([PUBLIC]));
    expect(asked.every((url) => url.startsWith('site.example/'))).toBe(true);
    expect(outcomes).toMatchObject({ '/moved': 'redirect_other_site', '/canonical': 'synced' });
  });

  it('by a robots.txt or a sitemap redirecting to it', async () => {
    const location = 'http://169.254.169.254/latest/meta-data/';
    const robots = await crawl('http://third.example/', {
      pages: { 'third.example/': pageOf('Home'), 'third.example/robots.txt': { status: 302, headers: { location } } },
    });
    expect(robots.asked).toEqual(['third.example/robots.txt', 'third.example/robots.txt']);
    expect(robots.outcomes).toEqual({ '/': 'refused_address' });
    const sitemap = await crawl('http://second.example/', {
      pages: {
        'second.example/': pageOf('Home'),
        'second.example/sitemap.xml': { status: 301, headers: { location } },
      },
    });
    expect(new Set(sitemap.reached)).toEqual(new Set([PUBLIC]));
    expect(sitemap.outcomes).toEqual({ '/': 'synced' });
  });

  it('by a name resolving to another address during the crawl', async () => {
    const dns = { 'rebind.example': [[PUBLIC], [PUBLIC], ['127.0.0.1']] };
    const { reached, outcomes } = await crawl('http://rebind.example/', {
      pages: { 'rebind.example/': pageOf('Home') },
      dns,
    });
    expect(new Set(reached)).toEqual(new Set([PUBLIC]));
    expect(Object.values(outcomes)).toEqual(['refused_address']);
  });
});

describe('a host with the prefix www.', () => {
  it('is the same site if one redirects to the other, and a separate site otherwise', async () => {
    const pages = {
      'shop.example/': { status: 301, headers: { location: 'https://www.shop.example/' } },
      'www.shop.example/': pageOf('Home', { links: ['/a', 'http://shop.example/b', 'http://blog.shop.example/c'] }),
      'www.shop.example/a': pageOf('A'),
      'shop.example/b': pageOf('B'),
    };
    const plain = { ...pages, 'shop.example/': { status: 301, headers: { location: 'http://www.shop.example/' } } };
    const { outcomes } = await crawl('http://shop.example/', { pages: plain });
    expect(outcomes).toEqual({ '/': 'synced', '/a': 'synced', '/b': 'synced', '/c': 'other_site' });

    const apart = await crawl('http://apart.example/', {
      pages: { 'apart.example/': pageOf('Home', { links: ['http://www.apart.example/a'] }) },
    });
    expect(apart.outcomes).toEqual({ '/': 'synced', '/a': 'other_site' });
  });
});
