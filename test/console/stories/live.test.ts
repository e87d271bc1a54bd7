import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { CHROMIUM, startBrowser } from '../../support/chromium.ts';
import { buildConsole, createPages } from '../../support/console-pages.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { eventually, untilPasses } from '../../support/stack/stack.ts';
import { type Line, startLine } from './line.ts';

const TABS = 8;
const WAIT_MS = 20_000;
/** A dead stream is noticed after 40 s of silence. */
const SILENCE_MS = 75_000;
const TEST_LIMIT_MS = 240_000;

(CHROMIUM ? describe : describe.skip)('what is live in a browser', () => {
  let line: Line;
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    [line, browser] = await Promise.all([startLine(), startBrowser()]);
    api = await startApi({ env: { PUBLIC_URL: line.url } });
    line.leadTo(Number(new URL(api.url).port));
    pages = createPages({ url: line.url, org: api.org, partner: api.partner }, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    line.close();
    await api.close();
  });

  const shows = (page: Page, text: string, timeout = WAIT_MS) =>
    page
      .getByRole('link', { name: new RegExp(text) })
      .first()
      .waitFor({ timeout });
  const showAll = (tabs: Page[], text: string, timeout?: number) =>
    Promise.all(tabs.map((tab) => shows(tab, text, timeout)));

  it(
    'comes by one stream into eight tabs, also after the tab that held it has closed and after a sleep of the laptop',
    async () => {
      const id = await pages.conversation('Ada', 'The first words');
      const opened = [];
      for (let n = 0; n < TABS; n++) opened.push(await pages.open('ann@acme.example', '/inbox?view=all'));
      const tabs = opened.map(({ page }) => page);
      await showAll(tabs, 'The first words');
      expect(line.streams()).toBe(1);
      await pages.say(id, 'To eight tabs');
      await showAll(tabs, 'To eight tabs');

      const [leader, ...others] = tabs as [Page, ...Page[]];
      await Promise.all([leader.close(), pages.say(id, 'While the stream changes hands')]);
      await showAll(others, 'While the stream changes hands');
      await untilPasses(() => expect(line.streams()).toBe(1));
      await pages.say(id, 'To seven tabs');
      await showAll(others, 'To seven tabs');
      expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);

      line.sleep();
      await pages.say(id, 'While the laptop slept');
      await pages.conversation('Ben', 'Another one, too');
      await sleep(3_000);
      line.wake();
      await showAll(others, 'While the laptop slept', SILENCE_MS);
      await showAll(others, 'Another one, too');
      await Promise.all(
        others.map((tab) =>
          tab.getByText('Not live. Trying again').waitFor({ state: 'detached', timeout: SILENCE_MS }),
        ),
      );
      expect(line.streams()).toBe(1);
      for (const tab of others) await tab.close();
    },
    TEST_LIMIT_MS,
  );

  it(
    'ends with the session: what was typed stays, and continues after the sign-in in another tab',
    async () => {
      const id = await pages.conversation('Cleo', 'Where is my parcel?');
      const { page } = await pages.open('dee@acme.example', `/s/${id}`);
      const reply = page.getByRole('textbox', { name: 'Reply', exact: true });
      await reply.fill('It is on');
      await page.getByText('Draft stored').waitFor();
      const { id: userId } = await pages.memberNamed('dee@acme.example');
      const ended = { expires_at: new Date(0) };
      await api.db.updateTable('dashboard_sessions').set(ended).where('user_id', '=', userId).execute();
      await reply.pressSequentially(' its way.');
      const dialog = page.getByRole('dialog').filter({ hasText: 'You are signed out' });
      await dialog.waitFor({ timeout: WAIT_MS });
      expect(await reply.inputValue()).toBe('It is on its way.');
      await pages.say(id, 'Are you there?');

      const elsewhere = await page.context().newPage();
      await elsewhere.goto(await pages.linkFor('dee@acme.example'));
      await elsewhere.getByRole('navigation', { name: 'Areas' }).waitFor();
      await page.bringToFront();
      await dialog.waitFor({ state: 'detached', timeout: WAIT_MS });
      await page.getByText('Draft stored').waitFor();
      await page.getByRole('log').getByText('Are you there?').waitFor({ timeout: WAIT_MS });
      await pages.say(id, 'Live again?');
      await page.getByRole('log').getByText('Live again?').waitFor({ timeout: WAIT_MS });
      await page.reload();
      await eventually('the draft', async () => (await reply.inputValue()) === 'It is on its way.');
      await reply.press('Control+Enter');
      await page.getByRole('log').getByText('It is on its way.').waitFor();
      const { items } = (await api.org.get(`/chat/sessions/${id}/history`)).body;
      const isReply = ({ event }: { event: { content?: { text?: string } } }) =>
        event.content?.text === 'It is on its way.';
      expect(items.filter(isReply)).toHaveLength(1);
      await elsewhere.close();
      await page.close();
    },
    TEST_LIMIT_MS,
  );
});
