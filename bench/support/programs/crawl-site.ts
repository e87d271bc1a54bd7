import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRandom, createWriter } from '../generated-texts.ts';
import { serve } from '../processes.ts';

const LINKS_PER_PAGE = 30;
const MENU_ENTRIES = 110;
const BLOCK = /^## (.*)$/;

const writer = createWriter(createRandom(11));

/** Starts a website with this many pages. Each has an ETag. */
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

/** Returns about 43 KB, typical for documentation: 7 KB of text in some ten chunks, a menu, styles and scripts. */
function bodyOf(n: number, pages: number): Buffer {
  const links = Array.from({ length: LINKS_PER_PAGE }, (_, k) => (n * LINKS_PER_PAGE + k + 1) % pages);
  const menu = Array.from({ length: MENU_ENTRIES }, (_, k) => {
    const to = links[k % LINKS_PER_PAGE];
    return `<li class="menu__item menu__item--level-${k % 3}"><a class="menu__link" href="/page/${to}" data-id="m${k}"><svg class="icon icon--small" width="12" height="12" viewBox="0 0 12 12"><path d="M2 2l8 4-8 4z"></path></svg><span class="menu__text">${writer.title()}</span></a></li>`;
  });
  const blocks = `${writer.article()}\n\n${writer.article()}`.split(/\n\n+/).map((block) => {
    const heading = BLOCK.exec(block.trim())?.[1];
    if (heading !== undefined) return `<h2 class="heading"><a class="anchor" aria-hidden="true"></a>${heading}</h2>`;
    return `<p class="text">${block.trim().replace(' ', ' <em>').replace('. ', '</em>. ')}</p>`;
  });
  return Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Page ${n}</title><style>${'.menu__item{margin:0 0 4px;padding:2px 8px}'.repeat(90)}</style></head>
<body><header class="header"><a class="logo" href="/">Shop</a></header><nav class="menu"><ul>${menu.join('\n')}</ul></nav>
<main class="content"><h1>${writer.title()}</h1>${blocks.join('\n')}</main>
<footer class="footer"><p>All rights reserved</p></footer><script>${'window.queue=window.queue||[];'.repeat(100)}</script></body></html>`);
}

serve({ start: ({ pages }: { pages: number }) => startSite(pages) });
