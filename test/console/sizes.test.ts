import type { Page } from 'playwright-core';
import { type SeededConsole, seedConsole } from '../../bench/support/console-seed.ts';
import { connect } from '../../src/db/connect.ts';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { buildConsole, createPages } from '../support/console-pages.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { untilSettled } from './stories/routes.ts';

const IS_LONG = process.env.TEST_TIER === 'long';
const MAX_FIRST_ROW_MS = 300;
const MAX_CHART_MS = 1_000;
const TRIES = 3;
const GIVEN_UP_MS = 8_000;
const SEED_LIMIT_MS = 900_000;
const MEASURE_LIMIT_MS = 600_000;
const DAY_MS = 86_400_000;

const rowOf = (label: string) => `[aria-label="${label}"] li`;

/** Goes to an address in the open console. Resolves to the milliseconds until something is there and was drawn. */
const timeTo = (href: string, selector: string) => `new Promise((done) => {
  const began = performance.now();
  const look = () => {
    const took = performance.now() - began;
    if (document.querySelector(${JSON.stringify(selector)}) !== null || took > ${GIVEN_UP_MS}) done(took);
    else requestAnimationFrame(look);
  };
  void window.__TSR_ROUTER__.navigate({ href: ${JSON.stringify(href)} });
  requestAnimationFrame(look);
})`;

const lists = (seeded: SeededConsole, endpointId: string): [href: string, selector: string][] => {
  const { sequenceId, workflowId, websiteId, contactId } = seeded;
  const sinceYesterday = new Date(Date.now() - DAY_MS).toISOString();
  return [
    ['/', rowOf('Waiting longest')],
    ['/inbox?view=all', rowOf('Conversations')],
    ['/inbox?view=waiting', rowOf('Conversations')],
    ['/inbox?view=closed&channel=email', rowOf('Conversations')],
    ['/contacts', rowOf('Contacts')],
    ['/contacts?q=tessa', rowOf('Contacts')],
    ['/contacts?q=ada%20rossi', rowOf('Contacts')],
    ['/contacts?q=person765432', rowOf('Contacts')],
    ['/contacts?q=example', rowOf('Contacts')],
    ['/contacts?q=tesa%20tanakka', rowOf('Contacts')],
    ['/contacts?q=%2B442071000003', rowOf('Contacts')],
    [`/contacts/${contactId}`, rowOf('Timeline')],
    ['/outbound', rowOf('Sequences')],
    ['/outbound?status=paused', rowOf('Sequences')],
    ['/outbound?q=sequence%201', rowOf('Sequences')],
    [`/outbound/${sequenceId}`, rowOf('Enrollments')],
    [`/outbound/${sequenceId}?status=exited`, rowOf('Enrollments')],
    ['/outbound/deliveries', rowOf('Deliveries')],
    ['/outbound/deliveries?status=failed', rowOf('Deliveries')],
    [`/outbound/deliveries?sequence_id=${sequenceId}&channel=email`, rowOf('Deliveries')],
    [`/outbound/deliveries?from=${sinceYesterday}`, rowOf('Deliveries')],
    ['/outbound/suppressions', rowOf('Suppressions')],
    ['/automations', rowOf('Workflows')],
    ['/automations/runs', rowOf('Runs')],
    ['/automations/runs?status=failed', rowOf('Runs')],
    [`/automations/runs?workflow_id=${workflowId}`, rowOf('Runs')],
    ['/knowledge', rowOf('Articles')],
    ['/knowledge/help-center', rowOf('Help center articles')],
    ['/knowledge/websites', rowOf('Websites')],
    [`/knowledge/websites/${websiteId}`, rowOf('Crawls')],
    [`/knowledge/websites/${websiteId}?kind=updated`, rowOf('Changes')],
    [`/knowledge/websites/${websiteId}?tab=pages`, rowOf('Pages')],
    [`/knowledge/websites/${websiteId}?tab=pages&status=error`, rowOf('Pages')],
    [`/knowledge/websites/${websiteId}?tab=pages&q=page%204999`, rowOf('Pages')],
    ['/ai', rowOf('Answers')],
    ['/insights', rowOf('Insights')],
    ['/settings/members', rowOf('Members')],
    ['/settings/tags', rowOf('Tags')],
    ['/settings/saved-replies', rowOf('Saved replies')],
    ['/settings/audit', rowOf('Audit')],
    ['/settings/audit?kind=workflow', rowOf('Audit')],
    ['/settings/webhooks', rowOf('Endpoints')],
    [`/settings/webhooks/${endpointId}`, rowOf('Deliveries')],
    [`/settings/webhooks/${endpointId}?status=failed`, rowOf('Deliveries')],
  ];
};

const charts = (): [href: string, selector: string][] => {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const year = `from=${day(Date.now() - 364 * DAY_MS)}&to=${day(Date.now())}`;
  return [
    ['volumes', 'Volumes'],
    ['first-reply', 'Reply times'],
    ['sla', 'SLA'],
    ['csat', 'CSAT'],
    ['deliveries', 'Deliveries'],
    ['ai', 'AI'],
  ].map(([show, title]) => [`/analytics?show=${show}&${year}`, `main:has([aria-label="${title} as a table"]) canvas`]);
};

(CHROMIUM && IS_LONG ? describe : describe.skip)('a console with 1,000,000 contacts', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let page: Page;
  let seeded: SeededConsole;
  let endpointId: string;
  beforeAll(async () => {
    await buildConsole();
    const env = { EGRESS_ALLOW: '127.0.0.0/8', RATE_LIMIT_MEMBER: '1000000' };
    [api, browser] = await Promise.all([startApi({ env }), startBrowser()]);
    endpointId = (await api.org.post('/webhooks', { url: 'http://127.0.0.1:9/hooks' })).body.id;
    const { db, close } = connect(api.databaseUrl, { poolSize: 2, statementTimeoutMs: 0 });
    const began = performance.now();
    seeded = await seedConsole(db, api.org.id, endpointId);
    console.info(`Seeded in ${Math.round((performance.now() - began) / 1_000)} s`);
    await close();
    ({ page } = await createPages(api, browser).open('ann@acme.example', '/settings/profile', { role: 'admin' }));
  }, SEED_LIMIT_MS);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  /** Resolves to the median time of each, from the loaded frame of the console, with nothing of the list known yet. */
  const measured = async (shown: [href: string, selector: string][]) => {
    const times = new Map<string, number>();
    for (const [href, selector] of shown) {
      const tries: number[] = [];
      for (let n = 0; n < TRIES; n++) {
        await page.goto(`${api.url}/console/settings/profile`);
        await untilSettled(page);
        const ms = Math.round(await page.evaluate<number>(timeTo(href, selector)));
        if (ms > GIVEN_UP_MS) console.info(`${page.url()} shows: ${await page.locator('body').textContent()}`);
        tries.push(ms);
      }
      const sorted = tries.toSorted((one, other) => one - other);
      times.set(href, sorted[1] as number);
      console.info(`${href.padEnd(80)} ${sorted.join(', ')} ms`);
    }
    return times;
  };
  const above = (times: Map<string, number>, limit: number) => [...times].filter(([, ms]) => ms > limit);

  it(
    'shows the first row of every list within 300 ms',
    async () => {
      expect(above(await measured(lists(seeded, endpointId)), MAX_FIRST_ROW_MS)).toEqual([]);
    },
    MEASURE_LIMIT_MS,
  );

  it(
    'shows the charts of a year within a second',
    async () => {
      expect(above(await measured(charts()), MAX_CHART_MS)).toEqual([]);
    },
    MEASURE_LIMIT_MS,
  );
});
