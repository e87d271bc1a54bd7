import type { Page } from 'playwright-core';
import { FAKES_ALLOWED } from '../../../support/channels.ts';
import { CHROMIUM, startBrowser } from '../../../support/chromium.ts';
import { buildConsole, createPages } from '../../../support/console-pages.ts';
import { startApi } from '../../../support/stack/api.ts';
import { addressesOf, untilSettled } from '../routes.ts';
import { seedAll } from './seeds.ts';

/** The first parts of the addresses. Each is walked by itself, so a slow one does not cut off the others. */
export const DAILY = ['/', '/inbox', '/s', '/assistants', '/contacts', '/analytics', '/nowhere'];
export const MESSAGES = ['/outbound', '/automations'];
export const ANSWERS = ['/knowledge', '/ai', '/insights'];
export const SETTINGS = ['/settings'];

export const PART_LIMIT_MS = 280_000;

const firstPartOf = (address: string): string => /^\/[a-z]*/.exec(address)?.[0] ?? '';

/** The console over an organization in which every route has something to show. */
export interface WalkedConsole {
  url: string;
  browser: Awaited<ReturnType<typeof startBrowser>>;
  pages: ReturnType<typeof createPages>;
  /** Returns the addresses below a part, of all routes. */
  addressesBelow: (part: string) => string[];
  goTo: (page: Page, address: string) => Promise<void>;
  close: () => Promise<void>;
}

/** Starts it. Throws if a route is in none of the parts. */
async function startWalkedConsole(): Promise<WalkedConsole> {
  await buildConsole();
  const [api, browser] = await Promise.all([
    startApi({ env: { SMTP_URL: 'smtp://127.0.0.1:9', ...FAKES_ALLOWED } }),
    startBrowser(),
  ]);
  const pages = createPages(api, browser);
  const seeds = await seedAll(api, pages);
  const { page } = await pages.open('root@acme.example', '/inbox', { role: 'admin' });
  const addresses = [...(await addressesOf(page, seeds)), '/nowhere'];
  await page.close();
  const parts = [...DAILY, ...MESSAGES, ...ANSWERS, ...SETTINGS];
  expect(new Set(addresses.map(firstPartOf))).toEqual(new Set(parts));
  return {
    url: api.url,
    browser,
    pages,
    addressesBelow: (part) => addresses.filter((one) => firstPartOf(one) === part),
    goTo: async (opened, address) => {
      await opened.goto(`${api.url}/console${address}`);
      await untilSettled(opened);
    },
    close: async () => {
      await browser.close();
      await api.close();
    },
  };
}

/** Describes walks over a console that is started once for them. They are skipped where no Chromium is installed. */
export function describeWalks(name: string, describeWith: (started: () => WalkedConsole) => void): void {
  (CHROMIUM ? describe : describe.skip)(name, () => {
    let walked: WalkedConsole;
    beforeAll(async () => {
      walked = await startWalkedConsole();
    }, 180_000);
    afterAll(() => walked.close());
    describeWith(() => walked);
  });
}
