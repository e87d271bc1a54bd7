import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../src/crawl/rendering/chromium.ts';

/** Chromium of this machine. */
export const CHROMIUM = findChromium(undefined);
if (CHROMIUM === undefined) console.warn('Tests that need Chromium are skipped: none is installed');

/** Chromium refuses to run as root in its sandbox. */
export const CAN_SANDBOX = process.getuid?.() !== 0;
export const CHROMIUM_ENV = { CHROMIUM_SANDBOX: CAN_SANDBOX ? 'on' : 'off' };

/** A page as a person sees it: its width, and what the browser complained about. */
export interface OpenedPage {
  page: Page;
  status: number;
  complaints: string[];
}

export const WIDTHS = [1280, 380];

/** What a context of a browser is like. */
export type ContextOptions = BrowserContextOptions & { width?: number };

/** Starts a browser that reaches this machine. `open` visits an address in a context of its own. */
export async function startBrowser() {
  const browser = await chromium.launch({ executablePath: CHROMIUM as string, chromiumSandbox: CAN_SANDBOX });
  const newContext = ({ width = 1280, ...options }: ContextOptions = {}) =>
    browser.newContext({ viewport: { width, height: 800 }, ...options });
  return {
    browser,
    newContext,
    open: async (url: string, options?: ContextOptions) => openIn(await newContext(options), url),
    close: () => browser.close(),
  };
}

/** Visits an address in a context, whose pages share cookies and files. */
export async function openIn(context: BrowserContext, url: string): Promise<OpenedPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => void complaints.push(error.message));
  const response = await page.goto(url);
  return { page, status: response?.status() ?? 0, complaints };
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Of the processor's time, in microseconds. */
  tdur?: number;
  args?: { name?: string };
}

/**
 * Returns the milliseconds that each task of a page's main thread took of a processor while something was done, the longest
 * first. Unlike the browser's long tasks, they do not grow while other programs have the processors.
 */
export async function tasksDuring(page: Page, act: () => Promise<void>): Promise<number[]> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page is of no browser');
  await browser.startTracing(page, { categories: ['toplevel'] });
  let trace: Buffer | undefined;
  try {
    await act();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents: events } = JSON.parse(`${trace}`) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mains = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  );
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && mains.has(threadOf(event)));
  if (!tasks.some(({ tdur = 0 }) => tdur > 0)) throw new Error("The trace has no processor's time of the page's tasks");
  return tasks.map(({ tdur = 0 }) => tdur / 1_000).sort((one, other) => other - one);
}

/** Returns by how many pixels a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Returns whether the browser draws the page in its dark colours. */
export const isDark = (page: Page): Promise<boolean> =>
  page.evaluate(
    `getComputedStyle(document.documentElement).colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches`,
  );

/** Returns the lowest contrast (WCAG 2) between a text of the page and the background behind it. */
export const lowestContrastOf = (page: Page): Promise<number> => page.evaluate(LOWEST_CONTRAST);

const LOWEST_CONTRAST = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const backgroundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color[3] > 200) return color;
    }
    return isDark && getComputedStyle(document.documentElement).colorScheme.includes('dark') ? [18, 18, 18] : [255, 255, 255];
  };
  const contrasts = [];
  for (const element of document.body.querySelectorAll('*')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (!hasText || element.getClientRects().length === 0) continue;
    const [lighter, darker] = [luminance(rgba(getComputedStyle(element).color)), luminance(backgroundOf(element))].sort((a, b) => b - a);
    contrasts.push((lighter + 0.05) / (darker + 0.05));
  }
  return Math.min(...contrasts);
})()`;
