import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { parseRobots } from '../../../src/crawl/fetching/robots.ts';
import { rulesFor } from '../../../src/crawl/fetching/robots-filter.rules.ts';
import { fetchSitemap } from '../../../src/crawl/fetching/sitemaps.ts';
import { createEgress } from '../../../src/providers/egress/egress.ts';
import { cpuTimeOf } from '../../support/measure.ts';
import { ROBOTS_OF_MANY_AGENTS, ROBOTS_OF_WILDCARDS, sitemapOfOpenTags } from '../oversized.ts';

const egress = createEgress({ allow: ['127.0.0.0/8'] });
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});
afterAll(() => egress.close());

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Calls the function and returns its result with the milliseconds it took. */
async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  const result = await work();
  return [result, performance.now() - begun];
}

describe('robots.txt', () => {
  it('with many agents and many rules takes little time and memory', async () => {
    const [robots, cpuMs] = cpuTimeOf(() => parseRobots('http://a.example', ROBOTS_OF_MANY_AGENTS));
    expect(cpuMs).toBeLessThan(3_000);
    expect(robots.allows(new URL('http://a.example/b'))).toBe(true);
  });

  it('names each agent once, whatever its groups', () => {
    const group = 'user-agent: *\nuser-agent: SwitchboardBot/2\nallow: /*\n';
    const content = `user-agent: *\nallow: /${'*'.repeat(1_000)}\n${group.repeat(2_500)}${'disallow: /b\n'.repeat(2_499)}`;
    const lines = rulesFor('SwitchboardBot', content).split('\n');
    expect(lines.filter((line) => line.startsWith('user-agent:'))).toEqual([
      'user-agent: *',
      'user-agent: switchboardbot',
    ]);
    expect(lines).toHaveLength(2 + 1 + 2 * 2_499);
  });

  it('keeps a group of ours that allows everything beside one for all that allows nothing', () => {
    const robots = parseRobots(
      'http://a.example',
      'user-agent: *\ndisallow: /\nuser-agent: switchboardbot\ndisallow:\n',
    );
    expect(robots.allows(new URL('http://a.example/b'))).toBe(true);
  });

  it('applies its first 5,000 rules, for us and for everybody', () => {
    const rules = Array.from({ length: 6_000 }, (_, n) => `Disallow: /${n}/`).join('\n');
    const robots = parseRobots('http://a.example', `User-agent: *\n${rules}`);
    expect([0, 4_999, 5_000].map((n) => robots.allows(new URL(`http://a.example/${n}/x`)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('with many wildcards takes little time for each page, and disallows no less', async () => {
    const content = `${ROBOTS_OF_WILDCARDS}Disallow: /private/*.pdf\n`;
    const robots = parseRobots('http://a.example', content);
    const [, cpuMs] = cpuTimeOf(() => {
      for (let n = 0; n < 20; n++) robots.allows(new URL(`http://a.example/${'a'.repeat(1_500)}${n}`));
    });
    expect(cpuMs / 20).toBeLessThan(400); // 1,800 ms before rules had a bound
    expect(robots.allows(new URL('http://a.example/private/x.pdf'))).toBe(false);
  });
});

it('the body of an unsuccessful answer is not collected', async () => {
  let sent = 0;
  const url = await serve((_, answer) => {
    answer.writeHead(404);
    const piece = Buffer.alloc(1024 * 1024);
    const more = () => {
      while (!answer.destroyed && sent < 400 * piece.length) {
        sent += piece.length;
        if (!answer.write(piece)) return void answer.once('drain', more);
      }
      answer.end();
    };
    more();
  });
  const [{ status, bytes }, ms] = await timed(() =>
    egress.download(url, { maxBytes: 1_000_000, timeoutMs: 10_000, onChunk: () => true }),
  );
  expect([status, bytes.length]).toEqual([404, 0]);
  expect(ms).toBeLessThan(5_000);
  expect(sent).toBeLessThan(50 * 1024 * 1024);
});

it('a download of any size is refused', async () => {
  await expect(egress.download('http://127.0.0.1:1/', { maxBytes: Number.POSITIVE_INFINITY })).rejects.toThrow(
    RangeError,
  );
});

it('a sitemap with tags in tags in tags ends at once, with the addresses before them', async () => {
  const xml = sitemapOfOpenTags('http://a.example/1');
  const url = await serve((_, answer) => answer.end(gzipSync(xml)));
  const [found, ms] = await timed(() => fetchSitemap(egress, `${url}/sitemap.xml.gz`));
  expect(ms).toBeLessThan(5_000);
  expect(found.urls).toEqual(['http://a.example/1']);
});
