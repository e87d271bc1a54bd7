import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Browser, BrowserContext, Route } from 'playwright-core';
import { findChromium, startChromium } from './chromium.ts';

/** Time of a page until its text is taken as it is then. */
const MAX_PAGE_MS = 12_000;
/** Time without requests after which a page counts as complete is half a second. It may take this long to come. */
const MAX_SETTLING_MS = 4_000;
/** A page that still computes has this long to give its text. */
const MAX_READING_MS = 2_000;
const MAX_CLOSING_MS = 3_000;
const MAX_REQUESTS = 100;
const MAX_BYTES = 20 * 1024 * 1024;
const IDLE_MS = 60_000;
/** They carry no text. */
const UNREAD_TYPES = new Set(['image', 'media', 'font', 'texttrack', 'manifest', 'ping', 'prefetch']);
/** Of a decoded answer they are no longer true. */
const HEADERS_OF_TRANSFER = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection']);

export interface LoadedResource {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

/** A page as its site sends it, and the way to what its scripts ask for. */
export interface ScriptedPage {
  url: string;
  bytes: Buffer;
  contentType: string | null;
  userAgent: string;
  /** Returns undefined for what must not be, or cannot be, loaded. */
  load(url: string, maxBytes: number): Promise<LoadedResource | undefined>;
}

/** The HTML of a page after its scripts have run, or why there is none. */
export type Rendered = { html: Buffer } | { problem: string };

export interface Renderer {
  render(page: ScriptedPage): Promise<Rendered>;
  close(): Promise<void>;
}

/**
 * Creates the renderer of pages that consist of scripts. Undefined if no Chromium is installed. Chromium starts with the
 * first page and ends after a minute without any. It has no network: each request is answered by `load`, GET only,
 * within bounds of time, number and size.
 */
export function createRenderer(
  {
    path,
    isSandboxed,
    maxPageMs = MAX_PAGE_MS,
  }: { path: string | undefined; isSandboxed: boolean; maxPageMs?: number },
  log: Pick<FastifyBaseLogger, 'warn'>,
): Renderer | undefined {
  const executablePath = findChromium(path);
  if (executablePath === undefined) return undefined;
  let browser: Promise<Browser> | undefined;
  let rendering = 0;
  let idling: NodeJS.Timeout | undefined;

  const stop = async () => {
    clearTimeout(idling);
    const running = browser;
    browser = undefined;
    await (await running?.catch(() => undefined))?.close().catch(() => undefined);
  };
  const start = async (): Promise<Browser> => {
    clearTimeout(idling);
    if (browser !== undefined && !(await browser.then((one) => one.isConnected()).catch(() => false))) await stop();
    browser ??= startChromium(executablePath, isSandboxed);
    return browser;
  };

  return {
    async render(page) {
      rendering++;
      try {
        const context = await openContext(await start(), page);
        const rendered = await renderIn(context, page, maxPageMs).catch(() => undefined);
        const isClosed = await within(
          MAX_CLOSING_MS,
          context
            .close()
            .then(() => true)
            .catch(() => false),
        );
        if (isClosed !== true) await stop();
        return rendered === undefined ? { problem: 'Its scripts took too long' } : { html: rendered };
      } catch (error) {
        log.warn({ err: error }, 'Chromium could not be started: pages made by scripts are not read');
        await stop();
        return { problem: 'Chromium could not be started' };
      } finally {
        rendering--;
        if (rendering === 0) idling = setTimeout(() => void stop(), IDLE_MS).unref();
      }
    },
    close: stop,
  };
}

async function openContext(browser: Browser, { userAgent }: ScriptedPage): Promise<BrowserContext> {
  return browser.newContext({ userAgent, serviceWorkers: 'block', acceptDownloads: false, ignoreHTTPSErrors: true });
}

/** Opens the page and returns its HTML once it asks for nothing more, or its time is over. */
async function renderIn(
  context: BrowserContext,
  scripted: ScriptedPage,
  maxPageMs: number,
): Promise<Buffer | undefined> {
  const answer = createAnswers(scripted);
  await context.route('**/*', (route) => void answer(route).catch(() => undefined)); // the page may be gone by then
  await context.routeWebSocket(/.*/, (socket) => void socket.close().catch(() => undefined));
  const page = await context.newPage();
  const endAt = performance.now() + maxPageMs;
  await page.goto(scripted.url, { waitUntil: 'load', timeout: maxPageMs }).catch(() => undefined);
  const remaining = Math.max(1, Math.min(MAX_SETTLING_MS, endAt - performance.now()));
  await within(
    remaining,
    page.waitForLoadState('networkidle', { timeout: remaining }).catch(() => undefined),
  );
  const html = await within(MAX_READING_MS, page.content());
  return html === undefined ? undefined : Buffer.from(html);
}

/** Answers the requests of one page. The first is for the page itself; there is no way to another page. */
function createAnswers({ url, bytes, contentType, load }: ScriptedPage) {
  let requests = 0;
  let room = MAX_BYTES;
  let isOpened = false;
  return async (route: Route): Promise<void> => {
    const request = route.request();
    if (request.isNavigationRequest()) {
      if (isOpened) return route.fulfill({ status: 204 }); // the page stays as it is
      isOpened = true;
      const type = contentType?.replace(/^\s*$/, '') || 'text/html';
      return route.fulfill({ status: 200, headers: { 'content-type': type }, body: bytes });
    }
    const isWanted = request.method() === 'GET' && !UNREAD_TYPES.has(request.resourceType());
    if (!isWanted || ++requests > MAX_REQUESTS || room <= 0 || request.url() === url) return route.abort();
    const loaded = await load(request.url(), room);
    if (loaded === undefined || loaded.bytes.length > room) return route.abort();
    room -= loaded.bytes.length;
    const headers = Object.entries(loaded.headers).filter(([name]) => !HEADERS_OF_TRANSFER.has(name.toLowerCase()));
    return route.fulfill({ status: loaded.status, headers: Object.fromEntries(headers), body: loaded.bytes });
  };
}

/** Returns undefined if the work is not done within this time. */
async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  const ended = new AbortController();
  const late = sleep(ms, undefined, { signal: ended.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
    work.catch(() => undefined); // it fails later, when the page is closed
  }
}
