import type { Page } from 'playwright-core';
import { askForConfirmation } from '../../../src/ai/confirmations/service.ts';
import { addAiMessage } from '../../../src/conversations/ai/service.ts';
import { lockSession } from '../../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { addTurn, newAction, proposed } from '../../ai/calls/calling.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { CHROMIUM, overflowOf, startBrowser, WIDTHS } from '../../support/chromium.ts';
import { buildConsole, createPages, type MemberOptions, violationsIn } from '../../support/console-pages.ts';
import { emailStep } from '../../support/sequences.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { seedKnowledge } from './knowledge-seeds.ts';
import { addressesOf, type Seeds, untilSettled } from './routes.ts';
import { seedSettings } from './settings-seeds.ts';

const CONTROLS = ':is(button, summary, select, input, textarea, [role=menuitem], [role=option])';
const OPENED = ':is(:popover-open, dialog[open])';
/** They end the walk, or only the page. */
const LEAVES = /^(?:Sign out|Leave this page)$/;
/** Within it the server has answered what a control asks. */
const ANSWER_MS = 150;
/** The keys that do something to the open conversation or to the list. */
const KEYS = ['r', 'n', 'a', 'i', 'l', 't', 'Shift+T', 'e', 'Shift+E', 'h', 'm', 'u', '.', 'x', 'Control+a', 'z'];

/** The first parts of the addresses: each is walked by itself, so a slow one does not cut off the others. */
const PARTS = [
  ...['/', '/inbox', '/s', '/assistants', '/contacts', '/outbound', '/automations', '/knowledge', '/ai'],
  ...['/insights', '/analytics', '/settings', '/nowhere'],
];
const ROLES = ['viewer', 'agent'] as const;
/** A viewer is offered little. */
const LEAST_CONTROLS = { viewer: 10, agent: 20 };
const PART_LIMIT_MS = 600_000;

const firstPartOf = (address: string): string => /^\/[a-z]*/.exec(address)?.[0] ?? '';

(CHROMIUM ? describe : describe.skip)('every route of the console', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  let addresses: string[];
  /** By role: what was walked, and how many controls that were. */
  const walked = new Map<string, { known: Set<string>; controls: number }>();
  beforeAll(async () => {
    await buildConsole();
    [api, browser] = await Promise.all([
      startApi({ env: { SMTP_URL: 'smtp://127.0.0.1:9', ...FAKES_ALLOWED } }),
      startBrowser(),
    ]);
    pages = createPages(api, browser);
    const seeds = await seed();
    const { page } = await pages.open('root@acme.example', '/inbox', { role: 'admin' });
    addresses = [...(await addressesOf(page, seeds)), '/nowhere'];
    await page.close();
    expect(new Set(addresses.map(firstPartOf))).toEqual(new Set(PARTS));
  }, 180_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  /** Makes a conversation with all that a thread can show, and a request of an assistant. */
  async function seed(): Promise<Seeds> {
    const { org } = api;
    await org.put('/tags', { tag_name: 'vip' });
    await org.post('/teams', { name: 'Second line' });
    await org.patch('/org/settings', { session_statuses: [{ id: 7, name: 'Waits for parts' }] });
    await org.post('/saved-replies', { shortcut: 'hi', title: 'Hello', text: 'Hello {{contact.name}}' });
    await org.post('/views', { name: 'VIP', query: { tag: 'vip' }, shared: 'org' });
    const { body: contact } = await org.post('/contacts', { contact: { name: 'Zoe', email: 'zoe@customer.example' } });
    const recipients = [{ to_email: 'zoe@customer.example', email_subject: 'Hi', email_body: 'Hi' }];
    await org.post('/email', { from_email: 'hello@acme.example', recipients });
    const { body } = await org.post('/chat/sessions', { contact_id: contact.id, channel: { type: 'email' } });
    const sessionId: string = body.id;
    await pages.say(sessionId, 'Where is my parcel?');
    await pages.say(sessionId, 'It is on its way.', 'agent');
    await api.db.updateTable('deliveries').set({ status: 'unknown' }).where('contact_id', '=', contact.id).execute();
    await org.post(`/chat/sessions/${sessionId}/notes`, { text: 'A good customer' });
    await org.post(`/chat/sessions/${sessionId}/tags`, { tags: ['vip'] });
    await askByAi(sessionId);
    for (const name of ['Ada', 'Ben']) await pages.conversation(name);
    const requestId = await askByAssistant(sessionId);
    const other = await org.post('/contacts', { contact: { name: 'Zoe K.', email: 'zk@customer.example' } });
    const seeded = { sessionId, contactId: contact.id, otherContactId: other.body.id, requestId };
    const settings = await seedSettings(org);
    return { ...seeded, ...settings, ...(await seedOutbound()), ...(await seedKnowledge(org)) };
  }

  /** Makes a sequence, and a workflow with a run. */
  async function seedOutbound(): Promise<Pick<Seeds, 'sequenceId' | 'workflowId' | 'runId'>> {
    const { org } = api;
    const sequence = await org.post('/sequences', { name: 'Welcome', filter: null, steps: [emailStep('One')] });
    const workflow_blocks = [{ $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } }];
    const made = await org.post('/workflows', { name: 'Wait', trigger_type: 'manual-trigger', workflow_blocks });
    const workflowId: string = made.body.workflow_id;
    await org.post(`/workflows/${workflowId}/activate`, {});
    const { body: run } = await org.post(`/workflows/${workflowId}/trigger`, { input: {} });
    return { sequenceId: sequence.body.id, workflowId, runId: run.run_id };
  }

  /** Has the AI ask whether it may call an action, as a turn does. */
  async function askByAi(sessionId: string): Promise<void> {
    const turn = await addTurn(api.db, api.org, sessionId);
    const action = await newAction(api.org, 'https://shop.example', { confirm: 'always' });
    const call = await proposed(api.db, turn, action);
    await inTransaction(api.db, async (trx) => {
      const session = await lockSession(trx, api.org.id, sessionId);
      const messageId = newId();
      const terms = { publicUrl: api.url, language: 'en', format: 'markdown' as const, messageId };
      const asked = await askForConfirmation(trx, api.org.id, call, terms);
      if (asked === undefined) throw new Error('The call does not wait');
      const citations = [{ item_id: newId(), title: 'Refunds', url: 'https://shop.example/refunds', quote: 'Within' }];
      const said = { id: messageId, agent: 'helpful', turnId: call.turn_id, citations, calls: [], ...asked };
      await addAiMessage(trx, api.deps.sending, api.org.id, session, said);
    });
  }

  async function askByAssistant(sessionId: string): Promise<string> {
    const params = { name: 'send_message', arguments: { id: sessionId, text: 'Your parcel comes on Friday.' } };
    const headers = { accept: 'application/json, text/event-stream' };
    const { body } = await api.org.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { headers });
    return /assistants\?id=([\w-]+)/.exec(JSON.stringify(body))?.[1] ?? '';
  }

  const goTo = async (page: Page, address: string) => {
    await page.goto(`${api.url}/console${address}`);
    await untilSettled(page);
  };

  it.each(WIDTHS.flatMap((width) => PARTS.map((part) => [width, part] as const)))(
    'has no fault that axe finds at %d px below %s, in either theme, and nothing that the browser complains of',
    async (width, part) => {
      const { page, complaints } = await pages.open('root@acme.example', '/inbox', { role: 'admin', width });
      for (const address of addresses.filter((one) => firstPartOf(one) === part))
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await goTo(page, address);
          expect([address, colorScheme, await violationsIn(page)]).toEqual([address, colorScheme, []]);
          expect([address, await overflowOf(page)]).toEqual([address, 0]);
          if (process.env.SHOTS)
            await page.screenshot({
              path: `${process.env.SHOTS}/${address.replace(/\W+/g, '-')}-${width}-${colorScheme}.png`,
            });
        }
      expect(complaints.filter((line) => !line.includes('404'))).toEqual([]);
      await page.close();
    },
    PART_LIMIT_MS,
  );

  it.each(WIDTHS)('has no fault that axe finds where somebody has to sign in, at %d px', async (width) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await browser.open(`${api.url}/console/inbox`, { width, colorScheme });
      await page.getByRole('textbox', { name: 'E-mail address' }).waitFor();
      expect(await violationsIn(page)).toEqual([]);
      await page.context().close();
    }
  });

  it.each(ROLES.flatMap((role) => PARTS.map((part) => [role, part] as const)))(
    'offers a member of the role %s nothing that the server refuses below %s, by the mouse or by a key',
    async (role, part) => {
      const { page, refused, walk } = await startWalk(role);
      for (const address of addresses.filter((one) => firstPartOf(one) === part))
        await walk(address, address === addresses[0] ? 'body' : partOf(address));
      expect(refused).toEqual([]);
      await page.close();
    },
    PART_LIMIT_MS,
  );

  it('has found the controls of each role', () => {
    for (const role of ROLES) expect(walked.get(role)?.controls ?? 0).toBeGreaterThan(LEAST_CONTROLS[role]);
  });

  /** Signs a member in. `walk` uses each control of a page, and each that it opens. */
  async function startWalk(role: NonNullable<MemberOptions['role']>) {
    const { page } = await pages.open(`${role}@acme.example`, '/inbox', { role });
    const refused: string[] = [];
    const ofRole = walked.get(role) ?? { known: new Set<string>(), controls: 0 };
    const { known } = ofRole;
    walked.set(role, ofRole);
    let used = '';
    page.on('response', (response) => {
      if (response.status() !== 403) return;
      refused.push(`${used}: ${response.request().method()} ${new URL(response.url()).pathname}`);
    });
    const walk = async (address: string, part: string): Promise<void> => {
      used = address;
      await goTo(page, address);
      const names = await namesOf(page, `${part} ${CONTROLS}`);
      for (const [n, name] of names.entries()) {
        const kind = name.replace(/^Select .+/, 'Select');
        if (LEAVES.test(name) || (part === 'main' && known.has(kind))) continue;
        known.add(kind);
        const use = async () => {
          await goTo(page, address);
          used = `${address} › ${name}`;
          await useControl(page, `${part} ${CONTROLS}`, n);
        };
        await use();
        const inner = await namesOf(page, `${OPENED} ${CONTROLS}`);
        ofRole.controls += 1 + inner.length;
        for (const [m, opened] of inner.entries()) {
          if (LEAVES.test(opened)) continue;
          if (m > 0) await use();
          used = `${address} › ${name} › ${opened}`;
          await useControl(page, `${OPENED} ${CONTROLS}`, m);
        }
      }
      await goTo(page, address);
      const begun = page.url();
      for (const key of KEYS) {
        used = `${address} › key ${key}`;
        await page.keyboard.press(key);
        await page.waitForTimeout(ANSWER_MS);
        const hasOpened = (await page.locator(`${OPENED}, :is(input, textarea):focus`).count()) > 0;
        if (hasOpened || page.url() !== begun) await goTo(page, address);
      }
    };
    return { page, refused, walk };
  }
});

/** What a page adds to those that were walked before: the frame is the same on each, and so is the list beside a conversation. */
const partOf = (address: string): string => (address.startsWith('/s/') ? '[aria-label=Conversation]' : 'main');

/** Returns the names of what can be used now. */
async function namesOf(page: Page, selector: string): Promise<string[]> {
  const usable = page.locator(`${selector}:not([disabled])`).filter({ visible: true });
  return Promise.all(
    (await usable.all()).map(async (one) => (await one.getAttribute('aria-label')) ?? (await one.textContent()) ?? ''),
  );
}

/** Uses the nth control as its kind is used. One that has gone is left alone: the page has changed with the last one. */
async function useControl(page: Page, selector: string, nth: number): Promise<void> {
  const control = page.locator(`${selector}:not([disabled])`).filter({ visible: true }).nth(nth);
  const isA = async (kind: string) => (await control.and(page.locator(kind)).count()) > 0;
  const limit = { timeout: 2_000 };
  const using = (await isA('select'))
    ? control.selectOption({ index: 1 }, limit)
    : (await isA('textarea, input:not([type=checkbox])'))
      ? control.fill('text', limit)
      : control.click({ ...limit, force: true });
  await using.catch(() => undefined);
  await page.waitForTimeout(ANSWER_MS);
}
