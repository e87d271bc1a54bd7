import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { inTransaction } from '../../src/db/transaction.ts';
import { addMember } from '../../src/orgs/members/service.ts';
import { createLoginLink } from '../../src/sign-in/links.service.ts';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { buildConsole } from '../support/console-pages.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { IMPORTED_CONTACTS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const WAIT_MS = 60_000;
const SESSIONS = 400;
const KILLS = 2;
const SNOOZE_MS = 4_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

(CHROMIUM ? describe : describe.skip)('the console while servers are killed', () => {
  let stack: FaultStack;
  let org: FaultOrg;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let page: Page;
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-console-faults-'));
  beforeAll(async () => {
    await buildConsole();
    const env = { STORAGE_URL: pathToFileURL(folder).href };
    [stack, browser] = await Promise.all([startFaultStack({ env }), startBrowser()]);
  }, TEST_LIMIT_MS);
  beforeEach(async () => {
    org = await stack.newOrg();
    const link = await inTransaction(stack.db, async (trx) => {
      const userId = await addMember(trx, org.id, { email: `${crypto.randomUUID()}@acme.example`, name: 'Ann' });
      return createLoginLink(trx, stack.url, { orgId: org.id, userId, opens: 'once' });
    });
    ({ page } = await browser.open(link.url));
    page.setDefaultTimeout(WAIT_MS);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.goto(`${stack.url}/console/inbox`);
    await page.getByText('Nothing is yours').waitFor();
  }, TEST_LIMIT_MS);
  afterEach(() => page.context().close());
  afterAll(async () => {
    await browser.close();
    await stack.close();
    rmSync(folder, { recursive: true });
  });

  const newSession = async (): Promise<string> => {
    const { body } = await org.post('/chat/sessions', {});
    await org.post(`/chat/sessions/${body.id}/send`, { sender: 'contact', message: { type: 'text', text: 'Hello' } });
    return body.id;
  };
  const eventsOf = async (id: string): Promise<{ type: string; content?: { text: string } | string }[]> =>
    (await org.call('GET', `/chat/sessions/${id}/history?limit=200`)).body.items.map(
      ({ event }: { event: object }) => event,
    );
  const countOf = async (id: string, type: string) =>
    (await eventsOf(id)).filter((event) => event.type === type).length;
  const open = async (id: string) => {
    await page.goto(`${stack.url}/console/s/${id}`);
    await page.getByRole('log').getByText('Hello').waitFor();
  };
  const restart = async (name: 'api' | 'worker') => {
    await stack[name].kill();
    await stack[name].start();
  };

  it(
    'changes all of a view once, and its bar ends with the count, when worker and api are killed in the middle',
    async () => {
      const ids: string[] = [];
      for (let n = 0; n < SESSIONS; n++) ids.push((await org.post('/chat/sessions', {})).body.id);
      await page.goto(`${stack.url}/console/inbox?view=all`);
      await page.getByRole('checkbox').first().waitFor();
      await page.keyboard.press('Control+a');
      await page.getByRole('button', { name: 'Close them' }).click();
      await page.getByRole('menuitem', { name: 'Close as resolved' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Close as resolved' }).click();
      await page.getByRole('progressbar').waitFor();
      for (let kill = 0; kill < KILLS; kill++) {
        await restart('worker');
        await restart('api');
      }
      await page.getByRole('status').getByText(`Close as resolved: ${SESSIONS} done`).waitFor({ timeout: 120_000 });
      await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();
      const moves = await stack.db
        .selectFrom('session_events')
        .select((eb) => ['session_id', eb.fn.countAll<string>().as('count')])
        .where('org_id', '=', org.id)
        .where('type', '=', 'status_changed')
        .groupBy('session_id')
        .execute();
      expect(moves.map(({ session_id, count }) => [session_id, Number(count)]).sort()).toEqual(
        ids.map((id) => [id, 1]).sort(),
      );
    },
    TEST_LIMIT_MS,
  );

  it(
    'imports each line of a file once, and its bar goes on to the end, when the worker is killed in the middle and the page is loaded again',
    async () => {
      await page.goto(`${stack.url}/console/settings/data`);
      await page.getByRole('button', { name: 'Import contacts' }).click();
      const contacts = Array.from({ length: IMPORTED_CONTACTS }, (_, n) => `crm-${n},crm-${n}@example.com,N${n}\n`);
      const buffer = Buffer.from(`external_id,email,name\n${contacts.join('')}`);
      await page.getByLabel('File').setInputFiles({ name: 'contacts.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('button', { name: 'Upload and import' }).click();
      const job = page.getByRole('list', { name: 'Imports of contacts' }).getByRole('listitem');
      const bar = job.getByRole('progressbar');
      await job.getByText(/ created$/).waitFor();
      await stack.worker.kill();
      const stored = async () => (await org.call('GET', '/contacts/imports')).body.items[0];
      const interrupted = await stored();
      expect(interrupted.status).toBe('running');
      await page.reload();
      await job.getByText(`${interrupted.created.toLocaleString('en-US')} created`).waitFor();
      expect(Number(await bar.getAttribute('value'))).toBeCloseTo(interrupted.progress, 5);
      await stack.worker.start();
      await job
        .getByText(`${IMPORTED_CONTACTS.toLocaleString('en-US')} created`, { exact: true })
        .waitFor({ timeout: TEST_LIMIT_MS / 2 });
      expect(await bar.count()).toBe(0);
      expect(await stored()).toMatchObject({ status: 'completed', created: IMPORTED_CONTACTS, updated: 0, refused: 0 });
    },
    TEST_LIMIT_MS,
  );

  it(
    'sends a reply once, or says that the server cannot be reached and keeps it, when the api is killed while it is sent',
    async () => {
      const id = await newSession();
      await open(id);
      const reply = page.getByRole('textbox', { name: 'Reply' });
      for (let n = 0; n < KILLS + 2; n++) {
        const text = `Reply ${n}`;
        await reply.fill(text);
        const [sent] = await Promise.all([reply.press('Control+Enter'), pause(n * 3).then(() => stack.api.kill())]);
        expect(sent).toBeUndefined();
        const isSent = async () => (await reply.inputValue()) === '';
        const isRefused = async () =>
          (await page
            .getByRole('alert')
            .getByText(/cannot be reached/)
            .count()) > 0;
        await until('a word about the reply', async () => (await isSent()) || (await isRefused()));
        await stack.api.start();
        await until('the reply is sent', async () => {
          if (await isSent()) return true;
          await reply.press('Control+Enter');
          return false;
        });
        await page.getByRole('log').getByText(text, { exact: true }).waitFor();
        const said = (await eventsOf(id)).filter((event) => JSON.stringify(event.content ?? '').includes(text));
        expect([text, said.length]).toEqual([text, 1]);
      }
    },
    TEST_LIMIT_MS,
  );

  it(
    'shows a snooze only if it holds, and ends it once, when the api and then the worker are killed',
    async () => {
      const id = await newSession();
      await open(id);
      for (let n = 0; n < KILLS; n++) {
        await page.keyboard.press('h');
        const item = page.getByRole('menuitem', { name: 'Until a reply' });
        await item.waitFor();
        await Promise.all([item.click(), stack.api.kill()]);
        await stack.api.start();
        await until('the page and the server agree', async () => {
          const { body } = await org.call('GET', `/chat/sessions/${id}`);
          const isShown = (await page.getByText('Snoozed until a reply').count()) > 0;
          return isShown === (body.snoozed_at !== null);
        });
      }
      const snooze = { until: new Date(Date.now() + SNOOZE_MS).toISOString() };
      expect((await org.post(`/chat/sessions/${id}/snooze`, snooze)).status).toBe(200);
      const endings = await countOf(id, 'snooze_ended');
      await page
        .getByText(/^Snoozed until .*\d/)
        .first()
        .waitFor();
      await stack.worker.kill();
      await pause(SNOOZE_MS);
      await stack.worker.start();
      await page
        .getByText(/^Snoozed until/)
        .first()
        .waitFor({ state: 'detached' });
      await pause(2_000); // a second end would come by then
      expect((await countOf(id, 'snooze_ended')) - endings).toBe(1);
    },
    TEST_LIMIT_MS,
  );
});
