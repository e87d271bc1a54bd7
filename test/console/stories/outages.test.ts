import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { inTransaction } from '../../../src/db/transaction.ts';
import { addMember } from '../../../src/orgs/members/service.ts';
import { createLoginLink } from '../../../src/sign-in/links.service.ts';
import type { FaultOrg } from '../../faults/support/fault-org.ts';
import { type FaultStack, startFaultStack } from '../../faults/support/fault-stack.ts';
import { TEST_LIMIT_MS } from '../../faults/support/sizes.ts';
import { until } from '../../faults/support/until.ts';
import { CHROMIUM, startBrowser } from '../../support/chromium.ts';
import { buildConsole } from '../../support/console-pages.ts';

const WAIT_MS = 60_000;
/** A stream that comes back within it is not worth a word. */
const PATIENCE_MS = 10_000;
const AWAY = 'The server cannot be reached';
const DATABASE_AWAY = 'The database is away';
const SESSIONS = 40;

(CHROMIUM ? describe : describe.skip)('what the console says while a server is away', () => {
  let stack: FaultStack;
  let org: FaultOrg;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let page: Page;
  beforeAll(async () => {
    await buildConsole();
    [stack, browser] = await Promise.all([startFaultStack(), startBrowser()]);
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
  afterEach(async () => {
    await page.context().close();
    await Promise.all([stack.postgres.start(), stack.temporal.start()]);
    await stack.api.start();
  });
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  const say = async (id: string, text: string) => {
    const { status } = await org.post(`/chat/sessions/${id}/send`, {
      sender: 'contact',
      message: { type: 'text', text },
    });
    expect(status).toBe(201);
  };
  const newSession = async (text = 'Where is my parcel?'): Promise<string> => {
    const { body } = await org.post('/chat/sessions', {});
    await say(body.id, text);
    return body.id;
  };
  const open = async () => {
    const id = await newSession();
    await page.goto(`${stack.url}/console/s/${id}`);
    await log().getByText('Where is my parcel?').waitFor();
    return id;
  };
  const session = async (id: string) => (await org.call('GET', `/chat/sessions/${id}`)).body;
  const log = () => page.getByRole('log');
  const reply = () => page.getByRole('textbox', { name: 'Reply', exact: true });
  const notLive = () => page.getByText('Not live. Trying again');
  const view = (name: RegExp) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
  /** What is said where it was asked for, and what the page continues by itself. */
  const expectKept = async (reason: string) => {
    await reply().fill('It is on its way.');
    await page.getByText(`Draft not stored: ${reason}`).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page
      .getByText(new RegExp(`^${reason}`))
      .first()
      .waitFor();
    await page.getByText('Nobody answers').waitFor();
    await view(/^Snoozed/);
    await page.getByRole('alert').getByText(reason).first().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  };

  it(
    'says that the api is away, keeps what is written, and continues by itself once it is back',
    async () => {
      const id = await open();
      await stack.api.kill();
      await notLive().waitFor();
      await expectKept(AWAY);
      await stack.api.start();
      await say(id, 'Hello?');
      await notLive().waitFor({ state: 'detached' });
      await page.getByText('Nothing sleeps').waitFor();
      await view(/^All/);
      await page.getByRole('link', { name: /Hello\?/ }).click();
      await log().getByText('Hello?').waitFor();
      expect(await reply().inputValue()).toBe('It is on its way.');
      await page.getByText('Draft stored').waitFor();
      expect((await session(id)).status).toBe('open');
    },
    TEST_LIMIT_MS,
  );

  it(
    'says nothing of an api that is restarted, and shows what came meanwhile',
    async () => {
      const id = await open();
      await reply().fill('It is on its way.');
      await page.getByText('Draft stored').waitFor();
      await stack.api.terminate();
      await stack.api.start();
      await say(id, 'Hello?');
      await log().getByText('Hello?').waitFor();
      await sleep(PATIENCE_MS);
      expect([await notLive().count(), await page.getByRole('alert').count()]).toEqual([0, 0]);
      expect(await reply().inputValue()).toBe('It is on its way.');
    },
    TEST_LIMIT_MS,
  );

  it(
    'answers, assigns, snoozes and closes while Temporal is away, and what waits for it is done later and shown',
    async () => {
      const id = await open();
      for (let n = 0; n < SESSIONS; n++) await newSession(`Number ${n}`);
      await stack.temporal.kill();
      await reply().fill('It is on its way.');
      await reply().press('Control+Enter');
      await log().getByText('It is on its way.').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('i');
      await page.getByText('You answer').waitFor();
      await page.keyboard.press('h');
      await page.getByRole('menuitem', { name: 'Until tomorrow' }).click();
      await page.getByRole('status').getByText('Snoozed until').waitFor();
      expect(await session(id)).toMatchObject({ answered_by: 'people', snoozed_at: expect.any(String) });

      await page.goto(`${stack.url}/console/inbox?view=all&assignee=none`);
      await page.getByRole('checkbox').first().waitFor();
      await page.keyboard.press('Control+a');
      await page.getByRole('button', { name: 'Close them' }).click();
      await page.getByRole('menuitem', { name: 'Close as resolved' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Close as resolved' }).click();
      await page.getByRole('status').getByText(`Close as resolved: 0 of ${SESSIONS}`).waitFor();
      expect([await page.getByRole('alert').count(), await notLive().count()]).toEqual([0, 0]);
      await stack.temporal.start();
      await page.getByRole('status').getByText(`Close as resolved: ${SESSIONS} done`).waitFor({ timeout: 180_000 });
    },
    TEST_LIMIT_MS,
  );

  it(
    'says that the database is away, signs nobody out, keeps what is written, and continues once it is back',
    async () => {
      const id = await open();
      await stack.postgres.kill();
      await expectKept(DATABASE_AWAY);
      const fresh = await page.context().newPage();
      fresh.setDefaultTimeout(WAIT_MS);
      await fresh.goto(`${stack.url}/console/inbox`);
      await fresh.getByRole('alert').getByText(DATABASE_AWAY).waitFor();
      await stack.postgres.start();
      await until('the api answers', async () => (await session(id)).status === 'open');
      // Where its stream is back before the click, the page has read everything by itself.
      const shown = fresh.getByText('Nothing is yours');
      await Promise.any([fresh.getByRole('button', { name: 'Try again' }).click(), shown.waitFor()]);
      await shown.waitFor();
      await fresh.close();
      await say(id, 'Hello?');
      await page.getByText('Nothing sleeps').waitFor();
      await notLive().waitFor({ state: 'detached' });
      await view(/^All/);
      await page.getByRole('link', { name: /Hello\?/ }).click();
      await log().getByText('Hello?').waitFor();
      await page.getByText('Draft stored').waitFor();
      expect(await reply().inputValue()).toBe('It is on its way.');
    },
    TEST_LIMIT_MS,
  );
});
