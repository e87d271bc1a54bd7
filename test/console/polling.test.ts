import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { buildConsole, createPages } from '../support/console-pages.ts';
import { emailStep } from '../support/sequences.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

const IS_LONG = process.env.TEST_TIER === 'long';
/** Longer than several pauses between two readings of a job. */
const WATCHED_MS = 3_000;
const AWAY = { message: 'The database is away: try again soon', code: 'database_away' };

(CHROMIUM && IS_LONG ? describe : describe.skip)('what the console reads again by itself', () => {
  let stack: Stack;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let page: Page;
  beforeAll(async () => {
    await buildConsole();
    [stack, browser] = await Promise.all([startStack({ env: FAKES_ALLOWED }), startBrowser()]);
  }, 120_000);
  beforeEach(async () => {
    ({ page } = await createPages(stack, browser).open('ann@acme.example', '/inbox', { role: 'admin' }));
    // A stream that begins has everything read again.
    await page.route('**/events?*', (route) => route.abort());
  });
  afterEach(async () => {
    await page.context().close();
  });
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  /** Returns the requests to a path from now on. */
  const requestsTo = (path: RegExp): string[] => {
    const asked: string[] = [];
    page.on('request', (request: Request) => path.test(new URL(request.url()).pathname) && asked.push(request.url()));
    return asked;
  };
  const expectStopped = async (region: string, asked: string[]) => {
    const part = page.getByRole('region', { name: region, exact: true });
    await part.getByRole('alert').waitFor();
    await sleep(WATCHED_MS);
    expect(asked).toHaveLength(1);
    await part.getByRole('button', { name: 'Try again' }).click();
    await eventually('another request', () => asked.length === 2);
    return part;
  };

  it('a job that is not there any more is not asked for again, and its bar can be dismissed', async () => {
    const asked = requestsTo(/^\/jobs\//);
    await page.evaluate(`localStorage.setItem('switchboard-delivery-job-${stack.org.id}', '${newId()}')`);
    await page.goto(`${stack.url}/console/outbound/deliveries`);
    const settling = await expectStopped('Settling unknown deliveries', asked);
    await settling.getByRole('button', { name: 'Dismiss' }).click();
    await settling.waitFor({ state: 'detached' });

    asked.length = 0;
    const jobs = JSON.stringify([{ id: newId(), does: 'Close them' }]);
    await page.evaluate(`localStorage.setItem('switchboard-jobs-${stack.org.id}', '${jobs}')`);
    await page.goto(`${stack.url}/console/inbox`);
    const closing = await expectStopped('Close them', asked);
    await closing.getByRole('button', { name: 'Dismiss' }).click();
    await closing.waitFor({ state: 'detached' });
  });

  it('a forecast that may not be read any more says so once, and another one can be asked for', async () => {
    const steps = [emailStep('It begins')];
    const { body: sequence } = await stack.org.post('/sequences', {
      name: 'Sale',
      filter: null,
      is_continuous: false,
      steps,
    });
    const asked = requestsTo(/\/forecasts\//);
    await page.route('**/sequences/*/forecast', (route) =>
      route.fulfill({ status: 202, json: { id: newId(), state: 'in_progress' } }),
    );
    await page.route('**/forecasts/*', (route) => route.fulfill({ status: 403, json: { message: 'Not any more' } }));
    await page.goto(`${stack.url}/console/outbound/${sequence.id}`);
    await page.getByRole('button', { name: 'Forecast', exact: true }).click();
    const forecast = await expectStopped('Forecast', asked);
    await forecast.getByRole('progressbar').waitFor({ state: 'detached' });
    const again = forecast.getByRole('button', { name: 'Forecast again' });
    await eventually('another forecast', () => again.isEnabled()); // once the second refusal is read
  });

  it('a webhook’s log with a delivery that is tried again in an hour is read seldom, and not at all once it fails', async () => {
    const { body: endpoint } = await stack.org.post('/webhooks', { url: 'http://127.0.0.1:9/hooks' });
    const delivery = {
      ...{ id: newId(), endpoint_id: endpoint.id, event_id: newId(), event_type: 'contact.created', sequence: null },
      ...{ occurred_at: new Date().toISOString(), created_at: new Date().toISOString(), attempts: 1 },
      ...{ updated_at: new Date().toISOString(), status: 'retrying' },
      next_attempt_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    let isAway = false;
    await page.route(`**/webhooks/${endpoint.id}/deliveries?*`, (route) =>
      isAway
        ? route.fulfill({ status: 400, json: { message: 'Not any more' } })
        : route.fulfill({ json: { items: [delivery], next: null } }),
    );
    const asked = requestsTo(/\/deliveries$/);
    await page.goto(`${stack.url}/console/settings/webhooks/${endpoint.id}`);
    await page.getByText('Retrying', { exact: true }).waitFor();
    await sleep(2 * WATCHED_MS);
    expect(asked).toHaveLength(1);

    isAway = true;
    delivery.next_attempt_at = new Date().toISOString();
    await page.reload();
    await page.getByRole('alert').getByText('Not any more').waitFor();
    asked.length = 0;
    await sleep(WATCHED_MS);
    expect(asked).toEqual([]);
    isAway = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Retrying', { exact: true }).waitFor();
    await eventually('another look, as it is tried now', () => asked.length >= 2);
  });

  /** Has the list of the inbox answered so, and lets time pass. */
  const openInboxWith = async (answer: { status: number; json?: object; body?: string } | 'abort') => {
    let isMended = false;
    await page.clock.install();
    await page.route(
      ({ pathname }) => pathname === '/inbox',
      (route) => {
        if (isMended) return route.continue();
        return answer === 'abort' ? route.abort() : route.fulfill(answer);
      },
    );
    const asked = requestsTo(/^\/inbox$/);
    await page.goto(`${stack.url}/console/inbox`);
    return {
      asked,
      mend: () => {
        isMended = true;
      },
      pass: async (seconds: number) => {
        for (let second = 0; second < seconds; second++) {
          await page.clock.runFor(1_000);
          await sleep(5);
        }
      },
    };
  };

  it.each([
    ['answers that it is away', { status: 503, json: AWAY } as const],
    ['cannot be reached', 'abort' as const],
  ])(
    'a server that %s is asked again, at last about once a minute, until it answers',
    async (_, answer) => {
      const { asked, pass, mend } = await openInboxWith(answer);
      await pass(300);
      const early = asked.length;
      expect(early).toBeGreaterThanOrEqual(3 * 5);
      asked.length = 0;
      await pass(300);
      // Each reading is three requests, and the next one follows 30 to 60 seconds later.
      expect(asked.length).toBeGreaterThanOrEqual(3 * 3);
      expect(asked.length).toBeLessThanOrEqual(3 * 10);
      mend();
      await pass(70);
      await page.getByText('Nothing is yours').waitFor();
    },
    120_000,
  );

  it.each([
    ['a fault', { status: 500, json: { message: 'Something went wrong' } }],
    ['a refusal', { status: 403, json: { message: 'Not you' } }],
    ['something else than JSON', { status: 200, body: '<html></html>' }],
  ])(
    'a server that answers with %s is not asked again by itself',
    async (_, answer) => {
      const { asked, pass } = await openInboxWith(answer);
      await pass(10);
      const first = asked.length;
      expect(first).toBeGreaterThanOrEqual(1);
      await pass(180);
      expect(asked.length).toBe(first);
      await page.getByRole('alert').first().waitFor();
    },
    120_000,
  );
});
