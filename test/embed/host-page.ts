import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HostPage {
  /** The address of the page with these attributes of the script tag. */
  at(attributes?: Record<string, string>): string;
  origin: string;
  /** What the browser reported against the page's policy. */
  violations: string[];
  close(): Promise<void>;
}

/**
 * A customer's page on another origin: a policy that allows nothing but the widget's server, styles that unset everything,
 * and a layer of its own above all others.
 */
export async function startHostPage(server: string, token: string): Promise<HostPage> {
  const violations: string[] = [];
  const policy = `default-src 'none'; style-src 'self'; script-src ${server}; connect-src ${server}; require-trusted-types-for 'script'; report-uri /reports`;
  const styles =
    '* { all: unset } body { display: block; height: 2000px } .war { position: fixed; inset: 0; z-index: 2147483647 }';
  const http = createServer((request, reply) => {
    const url = new URL(request.url ?? '/', 'http://page.example');
    if (url.pathname === '/reports') void textOf(request).then((report) => violations.push(report));
    if (url.pathname === '/page.css') return reply.setHeader('content-type', 'text/css').end(styles);
    if (url.pathname !== '/') return reply.writeHead(204).end();
    const { lang = 'en', ...attributes } = Object.fromEntries(url.searchParams);
    const data = Object.entries({ token, ...attributes }).map(([name, value]) => `data-${name}="${value}"`);
    const script = `<script src="${server}/widget.js" ${data.join(' ')} defer></script>`;
    reply.setHeader('content-type', 'text/html').setHeader('content-security-policy', policy);
    reply.end(
      `<!doctype html><html lang="${lang}"><head><meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title><link rel="stylesheet" href="/page.css">${script}</head><body><h1>Shop</h1><div class="war"></div></body></html>`,
    );
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    origin,
    violations,
    at: (attributes = {}) => `${origin}/?${new URLSearchParams(attributes)}`,
    async close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

/** A customer's page that was written for the original widget, with the address of its script, and files beside it. */
export async function startOriginalPage(
  script: string,
  options: string,
  files: Record<string, string> = {},
): Promise<{ url: string; close(): void }> {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
<script src="${script}"></script>
<script>
  window.heard = [];
  window.addEventListener('DOMContentLoaded', () => initOpenScript(${options}));
</script></head><body><h1>Shop</h1></body></html>`;
  const http = createServer(({ url = '/' }, reply) => {
    const file = files[url];
    reply.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript; charset=utf-8');
    reply.end(file ?? page);
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += part;
  return text;
}
