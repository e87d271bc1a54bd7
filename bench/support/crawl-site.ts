import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from './processes.ts';

const LINKS_A_PAGE = 30;
const PARAGRAPHS = 60;
const SENTENCE =
  'A customer asks where the parcel is, and the answer is in the tracking number that came with the invoice of the order. ';

/** A website of so many pages of about 43 KB, which know of their changes. */
function startSite(pages: number): Promise<string> {
  const bodies = Array.from({ length: pages }, (_, n) => bodyOf(n, pages));
  const server = createServer((request, response) => {
    const n = request.url === '/' ? 0 : Number(/^\/page\/(\d+)$/.exec(request.url ?? '')?.[1] ?? -1);
    const body = bodies[n];
    const etag = `"${n}"`;
    if (body === undefined) response.writeHead(404).end();
    else if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(body);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

function bodyOf(n: number, pages: number): Buffer {
  const links = Array.from({ length: LINKS_A_PAGE }, (_, k) => (n * LINKS_A_PAGE + k + 1) % pages);
  const menu = links.map((to) => `<li><a class="item" href="/page/${to}">About ${to}</a></li>`).join('\n');
  const text = Array.from({ length: PARAGRAPHS }, (_, k) =>
    k % 10 === 0
      ? `<h2>Part ${k / 10} of ${n}</h2>`
      : `<p id="p${k}">${SENTENCE.repeat(5)}Page ${n}, paragraph ${k}.</p>`,
  ).join('\n');
  return Buffer.from(
    `<!doctype html><html lang="en"><head><title>Page ${n}</title></head><body><nav><ul>${menu}</ul></nav><main><h1>Page ${n}</h1>${text}</main></body></html>`,
  );
}

serve({ start: ({ pages }: { pages: number }) => startSite(pages) });
