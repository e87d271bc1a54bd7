import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { ROBOTS_OF_MANY_AGENTS, ROBOTS_OF_WILDCARDS, sitemapOfOpenTags } from '../oversized.ts';

const MEGABYTE = Buffer.alloc(1024 * 1024, 'User-agent: a\n');

export interface HostileSites {
  /** A site whose sitemap unpacks to a million open tags. */
  sitemap: string;
  /** A site whose robots.txt has many agents with many rules. */
  rules: string;
  /** A site whose robots.txt is a 404 without an end. */
  endless: string;
  /** A site whose robots.txt is full of wildcards, with many pages. */
  wildcards: string;
  close(): Promise<void>;
}

/** Starts the websites of the attacks on crawls, on loopback. */
export async function startHostileSites(): Promise<HostileSites> {
  const sitemap = gzipSync(sitemapOfOpenTags('/1'));
  const links = Array.from({ length: 300 }, (_, n) => `<a href="/${'a'.repeat(1_500)}${n}">page</a>`).join(' ');
  const page = (answer: ServerResponse) => answer.setHeader('content-type', 'text/html').end(`<p>Page ${links}`);
  const sites: ((path: string, answer: ServerResponse, url: string) => void)[] = [
    (path, answer, url) => {
      if (path === '/robots.txt') answer.end(`User-agent: *\nSitemap: ${url}/sitemap.xml.gz\n`);
      else if (path === '/sitemap.xml.gz') answer.end(sitemap);
      else page(answer);
    },
    (path, answer) => {
      if (path === '/robots.txt') answer.end(ROBOTS_OF_MANY_AGENTS);
      else page(answer);
    },
    (path, answer) => {
      if (path === '/robots.txt') pourWithoutEnd(answer.writeHead(404));
      else page(answer);
    },
    (path, answer) => {
      if (path === '/robots.txt') answer.end(ROBOTS_OF_WILDCARDS);
      else page(answer);
    },
  ];
  const started = await Promise.all(
    sites.map(async (respond) => {
      const server = createServer((request, answer) =>
        respond(request.url ?? '/', answer, `http://${request.headers.host}`),
      );
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    }),
  );
  const [first, second, third, fourth] = started.map(({ url }) => url) as [string, string, string, string];
  return {
    sitemap: first,
    rules: second,
    endless: third,
    wildcards: fourth,
    async close() {
      for (const { server } of started) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}

/** Writes as fast as the other side reads, until it hangs up. */
function pourWithoutEnd(answer: ServerResponse): void {
  const pour = () => {
    while (!answer.destroyed) if (!answer.write(MEGABYTE)) return void answer.once('drain', pour);
  };
  pour();
}
