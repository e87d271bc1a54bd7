import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { askForConfirmation } from '../../src/ai/confirmations/service.ts';
import { addAiMessage } from '../../src/conversations/ai/service.ts';
import { lockSession } from '../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { newCalibratedOrg, QUESTION } from '../ai/answering-org.ts';
import { addTurn, newAction, proposed } from '../ai/calls/calling.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { CHROMIUM, startBrowser, WIDTHS } from '../support/chromium.ts';
import { greyPng } from '../support/pictures.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { type HostPage, startHostPage } from './host-page.ts';

const BUILT = new URL('../../embed/dist/', import.meta.url);
const MAX_FIRST_BYTES = 15_000;
const MAX_PANEL_BYTES = 17_000;
const LANGUAGES = new URL('../../embed/languages/', import.meta.url);
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const ofBrowser = CHROMIUM === undefined ? describe.skip : describe;

describe('what a page loads', () => {
  it('is small, and ASCII', () => {
    for (const [name, limit] of [
      ['widget.js', MAX_FIRST_BYTES],
      ['panel.js', MAX_PANEL_BYTES],
    ] as const) {
      const code = readFileSync(new URL(name, BUILT));
      expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(limit);
      expect(code.every((byte) => byte < 128)).toBe(true);
    }
  });

  it('has the same words with the same values in each language', () => {
    const read = (name: string): Record<string, string> => JSON.parse(readFileSync(new URL(name, LANGUAGES), 'utf8'));
    const valuesOf = (words: Record<string, string>) =>
      Object.entries(words).map(([key, text]) => [key, ...(text.match(/\{\w+\}/g) ?? []).sort()].join(' '));
    const german = valuesOf(read('de.json'));
    for (const name of readdirSync(LANGUAGES)) expect([name, ...valuesOf(read(name))]).toEqual([name, ...german]);
  });
});

ofBrowser('the widget on a page with a strict policy and styles that unset everything', () => {
  let stack: Stack;
  let org: TestOrg;
  let host: HostPage;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    stack = await startStack({ env: FAKES_ALLOWED });
    [org, browser] = await Promise.all([newCalibratedOrg(stack), startBrowser()]);
    await org.patch('/org/settings', { csat: true });
    host = await startHostPage(stack.url, org.widgetToken);
  });
  afterAll(async () => {
    await browser.close();
    await host.close();
    await stack.close();
  });
  afterEach(() => page.context().close());

  const visit = async (options: BrowserContextOptions & { width?: number } = {}, attributes = {}) => {
    ({ page, complaints } = await browser.open(host.at(attributes), options));
  };
  const open = () => page.locator('button.launcher').click();
  const say = async (text: string) => {
    await page.getByRole('textbox').fill(text);
    await page.keyboard.press('Enter');
  };
  const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
  /** The session of the page’s visitor, as soon as there is one. */
  const sessionId = () =>
    eventually('a session', () =>
      page
        .evaluate<string>(`JSON.parse(localStorage.getItem('switchboard:${org.widgetToken}') ?? '{}').session ?? ''`)
        .then((id) => id || undefined),
    );
  const agentSays = async (text: string) =>
    org.post(`/chat/sessions/${await sessionId()}/send`, {
      sender: 'agent',
      agent: { name: 'Grace' },
      message: { type: 'text', text },
    });
  const handOff = async () => org.post(`/chat/sessions/${await sessionId()}/handoff`, {});
  const textsOf = async (id: string): Promise<string[]> =>
    (await org.get(`/chat/sessions/${id}/history`)).body.items
      .filter(({ event }: { event: { type: string; sender?: { type: string } } }) => event.sender?.type === 'contact')
      .map(({ event }: { event: { content: { text: string } } }) => event.content.text);

  it('asks only for its configuration and stores nothing until it is used, then answers with sources that a reload keeps', async () => {
    const asked: string[] = [];
    await visit();
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    await page.locator('button.launcher').waitFor();
    expect(asked.filter((path) => path !== '/favicon.ico')).toEqual([
      '/',
      '/page.css',
      '/widget.js',
      '/backend/widget/v2/config',
    ]);
    await open();
    await shows('Hello! How can we help?');
    expect(await page.evaluate('Object.keys(localStorage).length')).toBe(0);
    await say(QUESTION);
    await page.locator('.sources').waitFor();
    await page.reload();
    await open();
    await page.locator('.sources').waitFor();
    await shows(/within five working days/);
    await shows('Hello! How can we help?');
    expect([complaints, host.violations]).toEqual([[], []]);
  });

  it('sends what was written without a connection once it is back: in order, and once', async () => {
    await visit();
    await open();
    await page.getByRole('textbox').waitFor();
    await page.context().setOffline(true);
    await say('First');
    await say('Second');
    await shows(/No connection/);
    await page.context().setOffline(false);
    const id = await sessionId();
    await eventually('both messages', async () => (await textsOf(id)).length >= 2);
    await page.getByText(/No connection/).waitFor({ state: 'detached' });
    expect(await textsOf(id)).toEqual(['First', 'Second']);
    expect(await page.locator('.own .bubble').allTextContents()).toEqual(['First', 'Second']);
  });

  it('begins as a new visitor when its token is not known any more, without losing what was typed', async () => {
    await visit();
    await open();
    await say('Before');
    const before = await sessionId();
    await page.evaluate(
      `(() => { const key = 'switchboard:${org.widgetToken}'; localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), visitor: 'worthless' })) })()`,
    );
    await page.getByRole('textbox').fill('After');
    await page.reload();
    await open();
    await page.getByRole('textbox').press('Enter');
    const after = await eventually('another session', async () => {
      const id = await sessionId();
      return id === before ? undefined : id;
    });
    await eventually('the message', async () => (await textsOf(after)).includes('After'));
  });

  it('sends a picture, shows it, and refuses other files before it sends them', async () => {
    await visit();
    await open();
    const input = page.locator('input[type=file]');
    await input.setInputFiles({ name: 'run.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') });
    await shows('Files like run.exe are not accepted.');
    await page.getByLabel('Remove run.exe').click();
    await input.setInputFiles({ name: 'cat.png', mimeType: 'image/png', buffer: PNG });
    await page.locator('.send:not([disabled])').click();
    await page.locator('.own canvas[aria-label="cat.png"]').waitFor();
    expect([complaints, host.violations]).toEqual([[], []]);
  });

  it('stays at its end when a picture in the last message appears late', async () => {
    await visit();
    await open();
    await say('Hello');
    const id = await sessionId();
    await page.locator('.own time').waitFor();
    await handOff();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/media/**', (route) => isReleased.then(() => route.continue()));
    const message = { text: 'Look', attachments: [{ name: 'tall.png', base64: greyPng(40, 400).toString('base64') }] };
    await org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', ...message } });
    await shows('tall.png');
    release();
    await page.locator('canvas[aria-label="tall.png"]').waitFor();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const log = `document.querySelector('switchboard-chat').shadowRoot.querySelector('.log')`;
    expect(await page.evaluate(`${log}.scrollHeight - ${log}.scrollTop - ${log}.clientHeight`)).toBeLessThan(2);
    expect(await page.evaluate(`${log}.scrollTop`)).toBeGreaterThan(0);
  });

  it('gets a person when asked, whose words are counted while it is closed and read when it opens', async () => {
    await visit();
    await open();
    await page.getByRole('button', { name: 'Talk to a person' }).click();
    await shows('A person will answer here.');
    const id = await sessionId();
    expect((await org.get(`/chat/sessions/${id}`)).body.handoff).not.toBeNull();
    await page.keyboard.press('Escape');
    await page.locator('.panel').waitFor({ state: 'detached' });
    expect(await page.evaluate(`document.querySelector('switchboard-chat').shadowRoot.activeElement?.className`)).toBe(
      'launcher',
    );
    await agentSays('Hello, this is Grace');
    await page.reload();
    await page.getByRole('button', { name: 'Open chat, 1 unread' }).click();
    await shows('Hello, this is Grace');
    await eventually('nothing unread', async () => (await page.locator('.badge').isHidden()) && true);
  });

  it('asks for a score once, with a comment', async () => {
    await visit();
    await open();
    await say('Hello');
    await page.locator('.own time').waitFor(); // a message that arrives later would open the session again
    const id = await sessionId();
    await handOff();
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    await page.getByRole('button', { name: '4 of 5' }).click();
    await page.getByLabel('Anything to add?').fill('Quick');
    await page.getByRole('button', { name: 'Submit' }).click();
    await shows('Thank you!'); // before the server has answered
    const scored = await eventually('the score', async () =>
      (await org.get('/csat/scores?limit=100')).body.items.find(
        ({ session_id }: { session_id: string }) => session_id === id,
      ),
    );
    expect(scored).toMatchObject({ score: 4, comment: 'Quick' });
  });

  it('shows what the AI wants to do, and lets the visitor decide', async () => {
    await visit();
    await open();
    await say('Refund my order');
    const id = await sessionId();
    await page.locator('.theirs .bubble').nth(1).waitFor();
    const turn = await addTurn(stack.db, org, id);
    const action = await newAction(org, stack.url, { confirm: 'always' });
    const call = await proposed(stack.db, turn, action, { arguments: { body_params: { order: 'A-1', amount: 20 } } });
    await inTransaction(stack.db, async (trx) => {
      const session = await lockSession(trx, org.id, id);
      const messageId = newId();
      const terms = { publicUrl: stack.url, language: 'en', format: 'markdown' as const, messageId };
      const asked = await askForConfirmation(trx, org.id, call, terms);
      const { text, confirmation } = asked as NonNullable<typeof asked>;
      const message = {
        id: messageId,
        text,
        agent: 'extractive-1',
        turnId: call.turn_id,
        citations: [],
        calls: [],
        confirmation,
      };
      await addAiMessage(trx, stack.deps.sending, org.id, session, message);
    });
    const card = page.locator('.card');
    await card.waitFor();
    expect(await card.locator('.field').allTextContents()).toEqual(['orderA-1', 'amount20']);
    await card.getByRole('button', { name: 'No' }).click();
    await shows('Rejected');
    const { state } = await stack.db
      .selectFrom('ai_calls')
      .select('state')
      .where('id', '=', call.id)
      .executeTakeFirstOrThrow();
    expect(state).toBe('rejected');
  });

  it('has one tab ask for all', async () => {
    await visit();
    await open();
    await say('Hello');
    await sessionId();
    await page.locator('.own').waitFor();
    const second = await page.context().newPage();
    const asking = new Set<Page>();
    for (const tab of [page, second])
      tab.on('request', (request) => {
        if (request.url().includes('&wait=')) asking.add(tab);
      });
    await second.goto(host.at());
    await second.locator('button.launcher').click();
    await second.getByText('Hello', { exact: true }).waitFor();
    await handOff();
    await agentSays('To both of you');
    for (const tab of [page, second]) await tab.getByText('To both of you').waitFor();
    expect(asking.size).toBe(1);
  });

  it('begins by the original’s initOpenScript too, and obeys the page', async () => {
    await visit({}, { token: '' });
    await page.evaluate(`initOpenScript({
      token: '${org.widgetToken}', isOpen: true, bot: { name: 'Bo' }, initialMessages: ['Welcome back'], language: 'de',
      theme: { primaryColor: '#ffd400' }, user: { data: { name: 'Ada' } }, context: { page: 'prices' },
      hooks: { onMessageReceived: ({ message }) => (window.hooked = message.data.message) },
    })`);
    await shows('Welcome back');
    await page.evaluate(
      `Switchboard('on', 'message', ({ text }) => (window.heard = text)); Switchboard('context', { cart: 2 })`,
    );
    await page.getByRole('textbox', { name: 'Nachricht schreiben…' }).fill('Hallo');
    await page.keyboard.press('Enter');
    const id = await sessionId();
    await page.locator('.own time').waitFor();
    await handOff();
    await agentSays('Guten Tag');
    await eventually('the message', async () => (await page.evaluate('window.heard')) === 'Guten Tag');
    expect(await page.evaluate('window.hooked')).toBe('Guten Tag');
    const { items } = (await org.get(`/chat/sessions/${id}/history`)).body;
    const said = items.find(
      ({ event }: { event: { sender?: { type: string } } }) => event.sender?.type === 'contact',
    ).event;
    expect(said).toMatchObject({ client_context: { page: 'prices', cart: 2 }, sender_name: 'Ada' });
    expect(
      await page.evaluate(
        `getComputedStyle(document.querySelector('switchboard-chat').shadowRoot.querySelector('header')).color`,
      ),
    ).toBe('rgb(0, 0, 0)');
    await page.evaluate(`Switchboard('close')`);
    await page.locator('.panel').waitFor({ state: 'detached' });
  });

  it('is not there on pages of an origin that the org does not allow', async () => {
    await org.put('/widget/settings', { allowed_origins: ['https://shop.example'] });
    try {
      await visit();
      await eventually('the refusal', () => complaints.some((text) => text.includes('403')));
      expect(await page.locator('button.launcher').count()).toBe(0);
    } finally {
      await org.put('/widget/settings', {});
    }
  });

  it('has no violation of WCAG that axe finds, at any width and in each theme', async () => {
    await org.put('/widget/settings', { quick_replies: [QUESTION], ai: { disclosure: 'Answers may be wrong.' } });
    for (const [width, colorScheme, lang] of WIDTHS.flatMap((width) => [
      [width, 'light', 'en'] as const,
      [width, 'dark', 'ar'] as const,
    ])) {
      await visit({ width, colorScheme, bypassCSP: true, reducedMotion: 'reduce' }, { lang });
      await open();
      await page.locator('.replies button').click();
      await page.locator('.sources').waitFor();
      await page.addScriptTag({ path: AXE });
      const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
        `axe.run('switchboard-chat').then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`,
      );
      expect(found).toEqual([]);
      expect(await page.locator('.root').getAttribute('dir')).toBe(lang === 'ar' ? 'rtl' : 'ltr');
      await page.context().close();
    }
  });
});
