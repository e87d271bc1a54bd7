import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { installNode } from '../../scripts/tools/node.ts';
import { addAiMessage } from '../../src/conversations/ai/service.ts';
import { lockSession } from '../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { newCalibratedOrg, QUESTION } from '../ai/answering-org.ts';
import { addTurn } from '../ai/calls/calling.ts';
import { PNG } from '../media/samples.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack, untilPasses } from '../support/stack/stack.ts';
import { startOriginalPage } from './host-page.ts';

/** The original's widget as its makers publish it: the client of its API, and the script of customers' pages. */
/** How the original's client ends a poll that another one replaces: by an error that it does not catch. */
const POLL_ENDED = 'Resetting poller';
const PACKAGES = { '@opencx/widget-core': '4.0.57', '@opencx/widget': '4.0.57' };
const HOME = resolve('.data/original-widget');
const TEST_LIMIT_MS = 120_000;

/** Installs the original's packages. Undefined, with a line that says why, where the registry has none. */
function install(): string | undefined {
  try {
    installNode(PACKAGES, HOME);
    return join(HOME, 'node_modules');
  } catch (error) {
    console.log(
      `SKIPPED: the original's widget cannot be installed: ${error instanceof Error ? error.message : error}`,
    );
    return undefined;
  }
}
const packages = CHROMIUM === undefined ? undefined : install();

interface Message {
  id: string;
  type: 'USER' | 'AI' | 'AGENT' | 'SYSTEM';
  subtype?: string;
  content?: string;
  attachments?: { name: string; url: string }[];
  data?: { message?: string; payload?: object };
  agent?: { name: string };
}

/** Starts the original's client in the page, as its script does. Its hooks note what they are told. */
const BEGIN = `window.begin = async (config) => {
  window.heard = [];
  const hooks = {
    onMessageReceived: ({ message, session }) => heard.push([message.type, message.id, session.id].join(' ')),
    onSessionCreated: ({ session }) => heard.push('session ' + session.id),
  };
  const storage = {
    get: async (key) => localStorage.getItem(key),
    set: async (key, value) => localStorage.setItem(key, value),
    remove: async (key) => localStorage.removeItem(key),
  };
  window.widget = await Original.WidgetCtx.initialize({ config: { ...config, hooks }, storage });
}`;

(packages === undefined ? describe.skip : describe)('the original’s widget', () => {
  let stack: Stack;
  let org: TestOrg;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let client: string;
  let page: Page;
  let failures: string[];
  let shop: Awaited<ReturnType<typeof startOriginalPage>>;

  beforeAll(async () => {
    const bundle = build({
      stdin: { contents: `export * from '@opencx/widget-core'`, resolveDir: HOME },
      bundle: true,
      format: 'iife',
      globalName: 'Original',
      write: false,
      logLevel: 'error',
    });
    stack = await startStack({ env: FAKES_ALLOWED });
    [org, browser] = await Promise.all([newCalibratedOrg(stack), startBrowser()]);
    client = (await bundle).outputFiles[0]?.text ?? '';
    await org.patch('/org/settings', { csat: true });
  }, TEST_LIMIT_MS);
  afterAll(async () => {
    await browser?.close();
    await stack?.close();
  });
  afterEach(async () => {
    await page.context().close();
    shop.close();
  });

  const agentSays = (id: string, text: string) =>
    org.post(`/chat/sessions/${id}/send`, {
      sender: 'agent',
      agent: { name: 'Grace' },
      message: { type: 'text', text },
    });
  const historyOf = async (id: string) =>
    (await org.get(`/chat/sessions/${id}/history`)).body.items
      .map(({ event }: { event: { type: string } }) => event)
      .filter(({ type }: { type: string }) => type === 'message');

  describe('by its client, on a page of another origin', () => {
    const visit = async (from?: Page) => {
      page = from === undefined ? (await browser.open(shop.url)).page : await from.context().newPage();
      page.on('pageerror', ({ message }) => message !== POLL_ENDED && failures.push(message));
      if (from !== undefined) await page.goto(shop.url);
      await page.evaluate(BEGIN);
    };
    beforeEach(async () => {
      failures = [];
      shop = await startOriginalPage('/client.js', '', { '/client.js': `${client};function initOpenScript() {}` });
      await visit();
    });
    afterEach(() => expect(failures).toEqual([]));

    const evaluate = <Result>(code: string) => page.evaluate<Result>(code);
    const begin = (config: object = {}) =>
      evaluate(`begin(${JSON.stringify({ token: org.widgetToken, apiUrl: stack.url, ...config })})`);
    /** As soon as the client knows its visitor’s sessions, it shows the last one or an empty chat. */
    const untilReady = () =>
      eventually('the sessions', () =>
        evaluate<boolean>('!widget.sessionCtx.sessionsState.get().isInitialFetchLoading'),
      );
    const messages = () => evaluate<Message[]>('widget.messageCtx.state.get().messages');
    const session = () =>
      evaluate<{ id: string; isOpened: boolean; isHandedOff: boolean; isVerified: boolean }>(
        'widget.sessionCtx.sessionState.get().session',
      );
    const send = (content: string, more: object = {}) =>
      evaluate(`widget.messageCtx.sendMessage(${JSON.stringify({ content, ...more })})`);
    const untilShown = async (...types: string[]) => {
      let shown: Message[] = [];
      await untilPasses(async () => {
        shown = await messages();
        expect(shown.map(({ type, subtype }) => subtype ?? type)).toEqual(types);
      });
      return shown;
    };

    it(
      'carries a whole conversation: the AI’s answer and a vote, people, files, a checkpoint, the resolution and the score',
      async () => {
        await begin({ sessionCustomData: { source: 'shop', tries: 2 }, context: { page: 'prices' } });
        expect(await evaluate('widget.org')).toEqual({ id: org.id, name: org.name });
        await untilReady();
        await send(QUESTION);
        const [asked, answered] = (await untilShown('USER', 'AI')) as [Message, Message];
        expect(answered.data?.message).toMatch(/within five working days/);
        const { id } = await session();
        const told = [`session ${id}`, `AI ${answered.id} ${id}`];
        expect(await evaluate('heard')).toEqual(told);
        expect((await org.get(`/chat/sessions/${id}`)).body.custom_data).toMatchObject({ source: 'shop', tries: '2' });
        expect(await historyOf(id)).toMatchObject([{ client_context: { page: 'prices' } }, {}]);
        const vote = { action: 'upvote', sessionId: id, messagePublicId: answered.id };
        const { data: voted } = await evaluate<{ data: object }>(`widget.api.vote(${JSON.stringify(vote)})`);
        expect(voted).toEqual({ success: true, messagePublicId: answered.id });

        await org.post(`/chat/sessions/${id}/handoff`, {});
        await agentSays(id, 'This is Grace');
        // The polls show each message once, also those that the answer to its own request showed first.
        const [, , human] = (await untilShown('USER', 'AI', 'AGENT')) as [Message, Message, Message];
        expect([human.data?.message, human.agent?.name]).toEqual(['This is Grace', 'Grace']);
        expect(await evaluate('heard')).toEqual([...told, `AGENT ${human.id} ${id}`]);
        expect((await session()).isHandedOff).toBe(true);

        const { fileName, fileUrl, progress } = await evaluate<{
          fileName: string;
          fileUrl: string;
          progress: number[];
        }>(
          `(async () => {
            const progress = [];
            const bytes = Uint8Array.from(atob('${Buffer.from(PNG).toString('base64')}'), (one) => one.charCodeAt(0));
            const file = new File([bytes], 'cat.png', { type: 'image/png' });
            const abortSignal = new AbortController().signal;
            const uploaded = await widget.api.uploadFile({ file, abortSignal, onProgress: (part) => progress.push(part) });
            return { ...uploaded, progress };
          })()`,
        );
        expect([fileName, progress.at(-1)]).toEqual(['cat.png', 100]);
        const file = { id: newId(), name: fileName, type: 'image/png', size: PNG.length, url: fileUrl };
        await send('', { attachments: [file] });
        expect((await historyOf(id)).at(-1)).toMatchObject({
          attachments: [{ name: 'cat.png', mime_type: 'image/png' }],
        });

        expect(await evaluate('widget.sessionCtx.createStateCheckpoint({ step: 2 })')).toEqual({ success: true });
        await untilShown('USER', 'AI', 'AGENT', 'USER', 'state_checkpoint');
        expect(await session()).toMatchObject({ latestStateCheckpointPayload: { step: 2 } });

        expect(await evaluate('widget.sessionCtx.resolveSession()')).toMatchObject({ success: true });
        expect((await session()).isOpened).toBe(false);
        await untilShown('USER', 'AI', 'AGENT', 'USER', 'state_checkpoint', 'csat_requested');
        const { data } = await evaluate<{ data: object }>(`widget.csatCtx.submitCsat({ score: 4, feedback: 'Quick' })`);
        expect(data).toEqual({ success: true });
        expect((await org.get(`/csat/scores/session/${id}`)).body).toMatchObject({ score: 4, comment: 'Quick' });
        await page.waitForResponse(/\/poll\//);
        const types = ['USER', 'AI', 'AGENT', 'USER', 'state_checkpoint', 'csat_requested', 'csat_submitted'];
        const before = await untilShown(...types);

        // Another day the same visitor opens the conversation from the list.
        await visit(page);
        await begin();
        await eventually('the list of sessions', () =>
          evaluate<boolean>(`widget.sessionCtx.sessionsState.get().data.some(({ id }) => id === '${id}')`),
        );
        await evaluate(`widget.routerCtx.toChatScreen('${id}')`);
        const after = await untilShown(...types);
        expect(after.map((message) => message.id)).toEqual(before.map((message) => message.id));
        expect(after[0]?.id).toBe(asked.id);
        expect((await fetch(after[3]?.attachments?.[0]?.url ?? '')).status).toBe(200);
        expect(after.at(-1)?.data?.payload).toEqual({ score: 4, feedback: 'Quick' });
        expect(await evaluate('heard')).toEqual([]);
      },
      TEST_LIMIT_MS,
    );

    it('knows a user by the token of the customer’s server, with the sessions of this device, page by page', async () => {
      const email = `${newId()}@customer.example`;
      const { token, contact } = (await org.post('/widget/authenticate-user', { email, name: 'Ada' })).body;
      await begin({ user: { token, externalId: 'workspace-7' } });
      await untilReady();
      await send('Hello');
      const { id, isVerified } = await session();
      expect(isVerified).toBe(true);
      expect((await org.get(`/chat/sessions/${id}`)).body).toMatchObject({
        verified: true,
        contact: { id: contact.id },
      });
      await evaluate('(async () => { for (let n = 1; n < 23; n++) await widget.sessionCtx.createSession() })()');
      const listed = 'widget.sessionCtx.sessionsState.get()';
      await evaluate('widget.sessionCtx.loadMoreSessions()');
      expect(await evaluate(`${listed}.isLastPage`)).toBe(false);
      await evaluate('widget.sessionCtx.loadMoreSessions()');
      expect(await evaluate(`[${listed}.isLastPage, ${listed}.data.length]`)).toEqual([true, 23]);

      await visit(page);
      await begin({ user: { token, externalId: 'workspace-8' } });
      await untilReady();
      expect(await evaluate(`${listed}.data`)).toEqual([]);
    }, 60_000);

    it('asks for a name and an e-mail address where the page wants that, and tells why a message is refused', async () => {
      await begin({ collectUserData: true });
      expect(await evaluate('widget.contactCtx.shouldCollectData()')).toBe(true);
      const claims = { non_verified_name: 'Ada', email: 'ada@customer.example' };
      await evaluate(`widget.contactCtx.createUnverifiedContact(${JSON.stringify(claims)}, { Order: 'A-1' })`);
      expect(await evaluate('widget.contactCtx.shouldCollectData()')).toBe(false);
      await untilReady();
      await send('Where is it?');
      const { id } = await session();
      expect((await org.get(`/chat/sessions/${id}`)).body).toMatchObject({ verified: false, contact: { name: 'Ada' } });
      expect((await historyOf(id))[0]).toMatchObject({ content: { text: 'Order: A-1 \n\nWhere is it?' } });
      await org.post(`/chat/sessions/${id}/handoff`, {});
      await agentSays(id, 'On its way');
      await eventually('the answer', async () => (await messages()).some(({ type }) => type === 'AGENT'));
      await send('x'.repeat(50_001));
      const refusal = (await messages()).at(-1)?.data;
      expect([refusal?.message, refusal]).toEqual([
        expect.stringMatching(/content/),
        expect.objectContaining({ variant: 'error' }),
      ]);
      await expect(begin({ token: 'nobody' })).rejects.toThrow('Failed to fetch widget config');
    }, 60_000);
  });

  describe('on a page with its script', () => {
    const originals = () => {
      const frame = (title: string) => page.frameLocator(`iframe[title="${title}"]`);
      return {
        launcher: frame('OpenCX Live Chat Trigger').locator('button'),
        panel: frame('OpenCX Live Chat').locator('body'),
        field: frame('OpenCX Live Chat').locator('textarea').first(),
        send: frame('OpenCX Live Chat').locator('button:not([disabled]):has(svg.lucide-arrow-up)'),
      };
    };
    const ours = () => ({
      launcher: page.locator('button.launcher'),
      panel: page.locator('.panel'),
      field: page.getByRole('textbox'),
      send: page.locator('button.send:not([disabled])'),
    });

    /** Visits a page, and notes the sessions that it creates. */
    const visitNoting = async (url: string) => {
      const created: string[] = [];
      const context = await browser.newContext();
      page = await context.newPage();
      failures = [];
      page.on('pageerror', ({ message }) => failures.push(message));
      page.on('response', async (response) => {
        if (response.url().endsWith('/create-session') && response.request().method() === 'POST')
          created.push(((await response.json()) as { id: string }).id);
      });
      await page.goto(url);
      return created;
    };

    it.each(['the original’s script', 'our script'])(
      'chats by %s: what the AI and people say and do is shown, and a picture is sent',
      async (whose) => {
        const isOurs = whose === 'our script';
        const script = readFileSync(join(packages as string, '@opencx/widget/dist-embed/script.js'), 'utf8');
        const options = JSON.stringify({
          token: org.widgetToken,
          apiUrl: stack.url,
          bot: { name: 'Bo' },
          initialMessages: ['Welcome back'],
          user: { data: { name: 'Ada', email: 'ada@customer.example' } },
          router: { chatScreenOnly: true },
        });
        const address = isOurs ? `${stack.url}/widget.js` : '/script.js';
        shop = await startOriginalPage(address, options, { '/script.js': script });
        const created = await visitNoting(shop.url);
        const { launcher, panel, field, send } = isOurs ? ours() : originals();
        await launcher.click();
        await panel.getByText('Welcome back').waitFor();
        // The original knows its visitor before the first message, ours not until then.
        if (!isOurs) await eventually('a visitor', () => page.evaluate<boolean>('localStorage.length > 0'));
        await field.fill(QUESTION);
        await field.press('Enter');
        await panel.getByText(/within five working days/).waitFor();
        const id = await eventually('the session', () => created[0]);
        const { turnId } = await addTurn(stack.db, org, id);
        await inTransaction(stack.db, async (trx) => {
          const calls = [{ id: newId(), operation_id: 'refund_an_order', state: 'done' }];
          const message = {
            id: newId(),
            text: 'This has been done',
            agent: 'extractive-1',
            turnId,
            citations: [],
            calls,
          };
          await addAiMessage(trx, stack.deps.sending, org.id, await lockSession(trx, org.id, id), message);
        });
        await panel.getByText('This has been done').waitFor();
        await org.post(`/chat/sessions/${id}/handoff`, {});
        await agentSays(id, 'This is Grace');
        await panel.getByText('This is Grace').waitFor();
        const uploaded = page.waitForResponse((response) => response.url().endsWith('/upload') && response.ok());
        const picture = { name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from(PNG) };
        await panel.locator('input[type=file]').first().setInputFiles(picture);
        await uploaded;
        await field.fill('Look at this');
        await send.click();
        await eventually('the picture', async () => (await historyOf(id)).at(-1)?.attachments?.length === 1);
        expect((await org.get(`/chat/sessions/${id}`)).body.contact).toMatchObject({ name: 'Ada' });
        expect(failures).toEqual([]);
      },
      TEST_LIMIT_MS,
    );
  });
});
