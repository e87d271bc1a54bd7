import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SiteAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  delayMs?: number;
}

export interface SiteRequest {
  path: string;
  headers: IncomingMessage['headers'];
  at: number;
}

export interface FakeSite {
  /** Without a slash at its end. */
  url: string;
  host: string;
  /** What each path answers; 404 for others. A function is asked anew each time. */
  pages: Map<string, SiteAnswer | ((request: SiteRequest) => SiteAnswer)>;
  /** What answers for paths that are not in `pages`. */
  rest: ((request: SiteRequest) => SiteAnswer | undefined) | undefined;
  requests: SiteRequest[];
  /** The paths that were asked for, in their order. */
  paths(): string[];
  close(): Promise<void>;
}

const NOT_FOUND: SiteAnswer = { status: 404, body: 'Not found' };

/** A website on loopback that notes every request. */
export async function startFakeSite(): Promise<FakeSite> {
  const pages: FakeSite['pages'] = new Map();
  const requests: SiteRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = { path: request.url ?? '', headers: request.headers, at: Date.now() };
    requests.push(asked);
    const found = pages.get(asked.path) ?? site.rest?.(asked) ?? NOT_FOUND;
    const { status = 200, headers = {}, body = '', delayMs = 0 } = typeof found === 'function' ? found(asked) : found;
    if (delayMs > 0) await sleep(delayMs);
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(body);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const site: FakeSite = {
    url: `http://${host}`,
    host,
    pages,
    rest: undefined,
    requests,
    paths: () => requests.map(({ path }) => path),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return site;
}

export interface PageOptions {
  links?: string[];
  /** What stands in the head. */
  head?: string;
  text?: string;
  status?: number;
  headers?: Record<string, string>;
}

/** A page of some text with links. */
export function pageOf(
  title: string,
  { links = [], head = '', text = textOf(title), ...answer }: PageOptions = {},
): SiteAnswer {
  const anchors = links.map((link) => `<li><a href="${link}">Read about ${link}</a> and more of it.</li>`).join('');
  return {
    ...answer,
    body: `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><nav><ul>${anchors}</ul></nav><main><h1>${title}</h1><p>${text}</p></main></body></html>`,
  };
}

const textOf = (title: string) =>
  `This is what the documentation says of ${title}. It is some sentences long, so that nobody takes it for a page without any text. `.repeat(
    3,
  );

/** A sitemap of these URLs. */
export const sitemapOf = (urls: string[]): SiteAnswer => ({
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`,
});
