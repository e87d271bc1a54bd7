import type { Page } from 'playwright-core';
import { seedInbox } from '../../../bench/support/inbox-seed.ts';
import { connect } from '../../../src/db/connect.ts';
import { CHROMIUM, startBrowser } from '../../support/chromium.ts';
import { buildConsole, createPages } from '../../support/console-pages.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

/** With ten messages each. */
const SESSIONS = 100_000;
const ROUNDS = 7;
const MAX_FIRST_ROW_MS = 300;
const MAX_THREAD_MS = 200;
const MAX_NEXT_THREAD_MS = 100;
const MAX_EVENT_MS = 1_000;
const MAX_TASK_MS = 50;
const MAX_NODES = 1_500;
const SCROLLED_ROWS = 4_000;
const ROW_HEIGHT = 84;
const TEST_LIMIT_MS = 900_000;

/** Notes when the frame of the page and the first row of its list are there. */
const NOTE_FIRST_ROW = `(() => {
  const seen = (window.seen = {});
  const look = () => {
    if (document.querySelector('nav[aria-label=Areas]')) seen.shell ??= performance.now();
    if (document.querySelector('[aria-label=Conversations] a')) seen.row ??= performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
})()`;

/** Does something, and resolves to the milliseconds until a condition holds after a frame was drawn. */
const timed = (action: string, condition: string) => `new Promise((done) => {
  const began = performance.now();
  const look = () => ((${condition}) ? done(performance.now() - began) : requestAnimationFrame(look));
  ${action};
  look();
})`;
const THREAD_IS_SHOWN = `location.pathname !== before && document.querySelector('[role=log] article') !== null
  && document.querySelector('[aria-label=Conversations] [aria-current=page]')?.pathname === location.pathname`;
const CLICK_SIXTH = `const before = location.pathname;
  document.querySelectorAll('[aria-label=Conversations] a')[5].click()`;
const press = (key: string) => `const before = location.pathname;
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`;

/** Scrolls the list by its own height again and again. Resolves to the long tasks and the most nodes on the way. */
const SCROLL = `new Promise((done) => {
  const list = document.querySelector('[aria-label=Conversations]').parentElement;
  const tasks = [];
  const observer = new PerformanceObserver((found) => tasks.push(...found.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: 'longtask' });
  let nodes = 0;
  let waits = 0;
  const step = () => {
    nodes = Math.max(nodes, document.querySelectorAll('*').length);
    const before = list.scrollTop;
    list.scrollTop += list.clientHeight;
    waits = list.scrollTop === before ? waits + 1 : 0;
    if (list.scrollTop < ${SCROLLED_ROWS * ROW_HEIGHT} && waits < 600) return requestAnimationFrame(step);
    setTimeout(() => done({ tasks, nodes, rows: Math.round(list.scrollTop / ${ROW_HEIGHT}) }), 200);
  };
  step();
})`;

(CHROMIUM ? describe : describe.skip)('an inbox of 100,000 open conversations', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    [api, browser] = await Promise.all([startApi(), startBrowser()]);
    const { db, close } = connect(api.databaseUrl, { poolSize: 4, statementTimeoutMs: 0 });
    await seedInbox(db, api.org.id, SESSIONS);
    await close();
    pages = createPages(api, browser);
  }, TEST_LIMIT_MS);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  /** Resolves to the shortest of some times: whatever else the machine does makes them longer. */
  const shortest = async (what: string, measure: (round: number) => Promise<number>) => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await measure(round));
    const sorted = times.toSorted((one, other) => one - other).map(Math.round);
    console.info(`${what}: ${sorted.join(', ')} ms`);
    return sorted[0] as number;
  };
  const opened = async (address: string): Promise<Page> => {
    const { page } = await pages.open('ann@acme.example', address);
    await page.getByRole('list', { name: 'Conversations' }).getByRole('link').first().waitFor();
    return page;
  };

  it('shows its first row soon after the frame of the page', async () => {
    const page = await opened('/inbox?view=all');
    await page.addInitScript(NOTE_FIRST_ROW);
    const took = await shortest('The first row, after the frame', async () => {
      await page.reload();
      await page.getByRole('list', { name: 'Conversations' }).getByRole('link').first().waitFor();
      return page.evaluate('window.seen.row - window.seen.shell');
    });
    expect(took).toBeLessThan(MAX_FIRST_ROW_MS);
    await page.close();
  }, 120_000);

  it('opens a conversation at once, and the next one faster', async () => {
    const page = await opened('/inbox?view=waiting');
    const clicked = await shortest('A conversation that was not read before', async () => {
      await page.goto(`${api.url}/console/inbox?view=waiting`);
      await page.getByRole('list', { name: 'Conversations' }).getByRole('link').nth(5).waitFor();
      return page.evaluate<number>(timed(CLICK_SIXTH, THREAD_IS_SHOWN));
    });
    const next = await shortest('The next conversation by a key', async () => {
      await page.waitForTimeout(500); // people read; the neighbours are read meanwhile
      return page.evaluate<number>(timed(press('j'), THREAD_IS_SHOWN));
    });
    expect(clicked).toBeLessThan(MAX_THREAD_MS);
    expect(next).toBeLessThan(MAX_NEXT_THREAD_MS);
    await page.close();
  }, 120_000);

  it('shows a message within a second', async () => {
    const page = await opened('/inbox?view=all');
    const id = await pages.conversation('Ada');
    const took = await shortest('A message in the list', async (round) => {
      const began = performance.now();
      await pages.say(id, `Message ${round} of Ada`);
      await page.getByText(`Message ${round} of Ada`).waitFor();
      return performance.now() - began;
    });
    expect(took).toBeLessThan(MAX_EVENT_MS);
    await page.close();
  }, 120_000);

  it('scrolls through 4,000 rows without a long task, with few nodes', async () => {
    const rounds = [];
    for (let round = 0; round < 3; round++) {
      const page = await opened('/inbox?view=all');
      rounds.push(await page.evaluate<{ tasks: number[]; nodes: number; rows: number }>(SCROLL));
      await page.close();
    }
    console.info(`Scrolling: ${JSON.stringify(rounds)}`);
    expect(Math.min(...rounds.map(({ rows }) => rows))).toBeGreaterThanOrEqual(SCROLLED_ROWS);
    expect(Math.max(...rounds.map(({ nodes }) => nodes))).toBeLessThan(MAX_NODES);
    const longest = rounds.map(({ tasks }) => Math.max(0, ...tasks));
    expect(Math.min(...longest)).toBeLessThanOrEqual(MAX_TASK_MS);
  }, 300_000);
});
