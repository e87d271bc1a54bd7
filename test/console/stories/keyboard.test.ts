import type { Page } from 'playwright-core';
import { CHROMIUM, startBrowser } from '../../support/chromium.ts';
import { buildConsole, createPages } from '../../support/console-pages.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { untilPasses } from '../../support/stack/stack.ts';

type Role = Parameters<Page['getByRole']>[0];

const MAX_TABS = 80;
const MORNING = 9;
const HAS_RING = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
})()`;

/** Every step is one of page.keyboard: nothing here uses the mouse. */
(CHROMIUM ? describe : describe.skip)('somebody who has no mouse', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  let page: Page;
  beforeAll(async () => {
    await buildConsole();
    [api, browser] = await Promise.all([startApi(), startBrowser()]);
    pages = createPages(api, browser);
    for (const tag_name of ['refund', 'vip']) await api.org.put('/tags', { tag_name });
    await api.org.patch('/org/settings', { session_statuses: [{ id: 7, name: 'Waits for parts' }] });
    await pages.open('ben@acme.example', '/inbox').then((opened) => opened.page.close());
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });
  afterEach(() => page.close());

  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const type = (text: string) => page.keyboard.type(text);
  const log = () => page.getByRole('log');
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor();
  /** Moves the focus by Tab until it is there, where it can be seen. */
  const tabTo = async (role: Role, name: string | RegExp) => {
    const wanted = page.getByRole(role, { name }).and(page.locator(':focus'));
    for (let n = 0; n < MAX_TABS; n++) {
      if ((await wanted.count()) > 0) {
        expect([name, await page.evaluate(HAS_RING)]).toEqual([name, true]);
        return;
      }
      await press('Tab');
    }
    throw new Error(`Tab does not reach the ${role} ${name}`);
  };
  const isFocused = (role: Role, name: string | RegExp) =>
    page.getByRole(role, { name }).and(page.locator(':focus')).waitFor();
  const open = async (address: string) => {
    ({ page } = await pages.open('ann@acme.example', address));
  };
  const openConversation = async (name: string) => {
    const id = await pages.conversation(name, `${name} writes`);
    await open(`/s/${id}`);
    await log().getByText(`${name} writes`).waitFor();
    await page.getByRole('button', { name: 'Assign', exact: true }).waitFor(); // keys act on what the head has read
    return id;
  };
  const session = async (id: string) => (await api.org.get(`/chat/sessions/${id}`)).body;

  it('1: answers the customer who waits longest', async () => {
    const id = await pages.conversation('Ada', 'Where is my parcel?');
    await pages.conversation('Ben', 'And mine?');
    await open('/inbox');
    const views = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
    await views.filter({ hasText: 'Waiting' }).waitFor();
    await press(`${(await views.allTextContents()).findIndex((name) => name.startsWith('Waiting')) + 1}`);
    await page.waitForURL(/view=waiting/);
    await page.getByRole('link', { name: /Ada/ }).waitFor();
    await press('j');
    await log().getByText('Where is my parcel?').waitFor();
    await press('r');
    await type('It is on its way.');
    await press('Control+Enter');
    await log().getByText('It is on its way.').waitFor();
    expect((await session(id)).waiting_since).toBeNull();
  });

  it('2: leaves a note that mentions a colleague', async () => {
    const id = await openConversation('Cleo');
    await press('n');
    await type('Please look, @be');
    await page.getByRole('option', { name: /^ben/ }).waitFor();
    await press('Enter', 'Control+Enter');
    await log().getByText('Please look, @ben').waitFor();
    const { body } = await api.org.get(`/chat/sessions/${id}/history?order=desc`);
    expect(body.items[0].event.mentions).toHaveLength(1);
  });

  it('3: assigns a conversation to a colleague, and the focus is back at the button', async () => {
    await openConversation('Dora');
    await tabTo('button', 'Assign');
    await press('Enter');
    await isFocused('combobox', 'Assign to');
    await type('ben');
    await page.getByRole('option', { name: 'ben' }).waitFor();
    await press('Enter');
    await says('ben answers');
    await isFocused('button', 'Assign');
  });

  it('4: tags it, and takes the tag off', async () => {
    const id = await openConversation('Emi');
    await press('l');
    await isFocused('combobox', 'Find a tag');
    await type('ref');
    await page.getByRole('option', { name: 'refund' }).waitFor();
    await press('Enter');
    await page.getByRole('button', { name: 'Remove the tag refund' }).waitFor();
    await press('Escape');
    await tabTo('button', 'Remove the tag refund');
    await press('Enter');
    await untilPasses(async () => expect((await session(id)).tags).toEqual([]));
  });

  it('5: snoozes it until tomorrow nine o’clock, and ends the snooze', async () => {
    const id = await openConversation('Fay');
    await press('h');
    await isFocused('menuitem', 'Until a reply');
    await press('ArrowDown', 'ArrowDown', 'ArrowDown');
    await isFocused('menuitem', /^Until tomorrow/);
    await press('Enter');
    await says(/^Snoozed until/);
    await untilPasses(async () => {
      const until = new Date((await session(id)).snoozed_until);
      const tomorrow = new Date();
      tomorrow.setDate(tomorrow.getDate() + 1);
      expect([until.getDate(), until.getHours()]).toEqual([tomorrow.getDate(), MORNING]);
    });
    await press('h');
    await isFocused('menuitem', 'End the snooze');
    await press('Enter');
    await untilPasses(async () => expect((await session(id)).snoozed_at).toBeNull());
  });

  it('6: takes it over from the AI, and gives it back', async () => {
    await api.org.patch('/autopilot', { channel: 'api', autopilot_enabled: true });
    const id = await openConversation('Gus');
    await api.org.patch('/autopilot', { channel: 'api', autopilot_enabled: false });
    await says(/^(?:AI ·|The AI answers)/);
    await press('t');
    await says('You answer');
    await untilPasses(async () => expect((await session(id)).answered_by).toBe('people'));
    await press('Shift+T');
    await says(/^(?:AI ·|The AI answers)/);
    await untilPasses(async () => expect((await session(id)).answered_by).toBe('ai'));
  });

  it('7: closes it, takes that back, and closes it with a status of the team', async () => {
    const id = await openConversation('Hal');
    await press('e');
    await page
      .getByRole('status')
      .getByText(/^Closed/)
      .waitFor();
    await press('z');
    await untilPasses(async () => expect((await session(id)).status).toBe('open'));
    await page.getByRole('button', { name: 'Close with a status' }).waitFor();
    await press('Shift+E');
    await isFocused('menuitem', /^Resolved/);
    await press('ArrowUp');
    await isFocused('menuitem', /^Waits for parts/);
    await press('Enter');
    await untilPasses(async () => expect((await session(id)).custom_status_id).toBe(7));
  });

  it('8: closes three at once, none of them on the way to the choice', async () => {
    const ids = [];
    for (const name of ['Ida', 'Jo', 'Kim']) ids.push(await pages.conversation(name));
    await open('/inbox?view=all');
    await page.getByRole('link', { name: /Kim/ }).waitFor();
    await press('j', 'x', 'Shift+J', 'Shift+J');
    await page.getByText('3 selected').waitFor();
    await tabTo('button', 'Close them');
    await press('Enter');
    await isFocused('menuitem', 'Close as resolved');
    await press('ArrowDown', 'ArrowUp');
    expect((await session(ids[0] as string)).status).toBe('open');
    await press('Enter');
    await page.getByRole('status').getByText('Close as resolved: 3 done').waitFor();
    const ends = await Promise.all(ids.map(async (id) => (await session(id)).status));
    expect(ends).toEqual(['closed_resolved', 'closed_resolved', 'closed_resolved']);
  });

  it('9: makes a view for the team of the unassigned ones with a tag', async () => {
    await open('/inbox?view=all');
    await page.getByRole('list', { name: 'Conversations' }).waitFor();
    await press('f');
    await tabTo('combobox', 'Assignee');
    await type('Nobody');
    await page.waitForURL(/assignee=none/);
    await tabTo('combobox', 'Tag');
    await type('vip');
    await page.waitForURL(/tag=vip/);
    await tabTo('button', 'Save as a view');
    await press('Enter');
    await isFocused('textbox', 'Name');
    await type('VIP, unassigned');
    await tabTo('combobox', 'Who sees it');
    await type('Every');
    await tabTo('button', 'Save');
    await press('Enter');
    await page.getByRole('link', { name: /VIP, unassigned/ }).waitFor();
    const { items } = (await api.org.get('/views')).body;
    expect(items.at(-1)).toMatchObject({ query: { assignee: 'none', tag: 'vip' }, shared: 'org' });
  });

  it('10: goes from the news to what an assistant asks, and confirms it', async () => {
    const id = await openConversation('Lea');
    const member = await pages.memberNamed('ann@acme.example');
    await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: member.id });
    const params = { name: 'send_message', arguments: { id, text: 'Your parcel comes on Friday.' } };
    const headers = { accept: 'application/json, text/event-stream' };
    await api.org.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { headers });
    await page.getByRole('button', { name: /^Notifications, / }).waitFor();
    await tabTo('button', /^Notifications/);
    await press('Enter');
    await page.getByText('An assistant waits for a confirmation').waitFor();
    await tabTo('link', /An assistant waits for a confirmation/);
    await press('Enter');
    await page.waitForURL(/assistants/);
    await page.getByRole('button', { name: 'Confirm' }).waitFor();
    await tabTo('button', 'Confirm');
    await press('Enter');
    await page.getByRole('listitem').getByText('Done', { exact: true }).waitFor();
    expect(JSON.stringify((await api.org.get(`/chat/sessions/${id}/history`)).body)).toContain('comes on Friday');
    await press('Control+k');
    await isFocused('combobox', 'Go to, search or do');
    await type(`#${(await session(id)).ticket_number}`);
    await press('Enter');
    await log().getByText('Your parcel comes on Friday.').waitFor();
  });
});
