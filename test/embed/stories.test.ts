import type { BrowserContextOptions, Page } from 'playwright-core';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { CHROMIUM, overflowOf, startBrowser } from '../support/chromium.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { type HostPage, startHostPage, startOriginalPage } from './host-page.ts';

interface HistoryItem {
  event: { type: string; sender?: { type: string }; content: { text: string }; client_context?: object };
}

(CHROMIUM ? describe : describe.skip)('a visitor of a customer’s page', () => {
  let stack: Stack;
  let org: TestOrg;
  let host: HostPage;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    stack = await startStack({ env: FAKES_ALLOWED });
    [org, browser] = await Promise.all([stack.createOrg(), startBrowser()]);
    await org.patch('/org/settings', { csat: true });
    host = await startHostPage(stack.url, org.widgetToken);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await host.close();
    await stack.close();
  });
  afterEach(() => page.context().close());

  const visit = async (url: string, options: BrowserContextOptions & { width?: number } = {}) => {
    ({ page, complaints } = await browser.open(url, options));
  };
  const open = () => page.locator('button.launcher').click();
  const say = async (text: string) => {
    await page.getByRole('textbox').fill(text);
    await page.keyboard.press('Enter');
  };
  const sessionId = () =>
    eventually('a session', () =>
      page
        .evaluate<string>(`JSON.parse(localStorage.getItem('switchboard:${org.widgetToken}') ?? '{}').session ?? ''`)
        .then((id) => id || undefined),
    );
  const answer = (id: string, text: string) =>
    org.post(`/chat/sessions/${id}/send`, {
      sender: 'agent',
      agent: { name: 'Grace' },
      message: { type: 'text', text },
    });
  const saidIn = async (id: string): Promise<HistoryItem['event'][]> =>
    (await org.get(`/chat/sessions/${id}/history`)).body.items
      .map(({ event }: HistoryItem) => event)
      .filter(({ type }: HistoryItem['event']) => type === 'message');

  it('finds the chat on a page that was written for the original, of whose script only the address has changed', async () => {
    const options = `{
      token: '${org.widgetToken}',
      bot: { name: 'Bo', avatarUrl: 'https://shop.example/bo.png' },
      humanAgent: { name: 'The team' },
      theme: { palette: 'slate', primaryColor: '#ffd400', widgetTrigger: { zIndex: 5 } },
      assets: { widgetTrigger: { openIcon: 'https://shop.example/open.svg' } },
      advancedInitialMessages: [{ message: 'Welcome back', persistent: true }],
      initialQuestions: ['Where is my parcel?'],
      user: { externalId: 'workspace-7', data: { name: 'Ada', email: 'ada@customer.example', customData: { plan: 'pro' } } },
      textContent: { chatScreen: { headerTitle: 'Lamps' } },
      context: { page: 'prices' },
      sessionCustomData: { source: 'shop' },
      router: { chatScreenOnly: true },
      cssOverrides: '* { color: red }',
      hooks: {
        onNavigateToChat: () => heard.push('open'),
        onSessionCreated: ({ session }) => heard.push('session ' + session.id),
        onMessageReceived: ({ message, session }) => heard.push([message.type, message.data.message, session.id].join(' ')),
      },
    }`;
    const shop = await startOriginalPage(`${stack.url}/widget.js`, options);
    await visit(shop.url);
    await open();
    await page.getByText('Welcome back').waitFor();
    await page.getByRole('button', { name: 'Where is my parcel?' }).click();
    await page.locator('.own time').waitFor();
    const id = await sessionId();
    await answer(id, 'On its way');
    await page.getByText('On its way').waitFor();
    expect(await page.evaluate('window.heard')).toEqual(['open', `session ${id}`, `AGENT On its way ${id}`]);
    const said = await saidIn(id);
    expect(said.map(({ content }) => content.text)).toEqual(['Welcome back', 'Where is my parcel?', 'On its way']);
    expect(said[1]).toMatchObject({ client_context: { page: 'prices' } });
    const session = (await org.get(`/chat/sessions/${id}`)).body;
    expect(session.custom_data).toMatchObject({ source: 'shop', external_id: 'workspace-7' });
    await page.evaluate(`initOpenScript({ token: '${org.widgetToken}', isOpen: true })`);
    await page.getByText('On its way').waitFor();
    expect(await page.locator('switchboard-chat').count()).toBe(1);
    expect(complaints).toEqual([]);
    shop.close();
  });

  it('is asked what a page of the original asks for, and the first message tells it', async () => {
    const options = `{
      token: '${org.widgetToken}',
      collectUserData: true,
      extraDataCollectionFields: ['Order number', 'Postcode'],
      prefillUserData: { name: 'Ada' },
      humanAgent: { name: 'Our chemists' },
      textContent: { welcomeScreen: { title: 'Welcome', description: 'Ask our chemists anything' } },
      accessibility: { widgetTriggerButton: { label: 'Chat with our chemists' } },
      messageCustomData: { cart: { items: ['lamp'] } },
    }`;
    const shop = await startOriginalPage(`${stack.url}/widget.js`, options);
    await visit(shop.url);
    await page.getByRole('button', { name: 'Chat with our chemists' }).click();
    await page.getByText('Ask our chemists anything').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ada');
    await page.getByLabel('E-mail').fill('ada@customer.example');
    await page.getByLabel('Order number').fill('A-1');
    await page.locator('.details .primary').click();
    await say('Where is it?');
    await page.locator('.own time').waitFor();
    await say('I need it');
    const id = await sessionId();
    await eventually('both messages', async () => (await saidIn(id)).length === 3);
    const own = (await saidIn(id)).filter(({ sender }) => sender?.type === 'contact');
    expect(own.map(({ content }) => content.text)).toEqual(['Order number: A-1\n\nWhere is it?', 'I need it']);
    const session = (await org.get(`/chat/sessions/${id}`)).body;
    expect(session).toMatchObject({ contact: { name: 'Ada' }, custom_data: { cart: '{"items":["lamp"]}' } });
    await answer(id, 'On its way');
    await page.getByText('On its way').waitFor();
    expect(await page.locator('.sender').last().textContent()).toBe('Our chemists');
    expect(complaints).toEqual([]);
    shop.close();
  });

  it('writes without a network, leaves, comes back, and has written once', async () => {
    await visit(host.at());
    await open();
    await say('Before');
    await page.locator('.own time').waitFor();
    const id = await sessionId();
    await page.context().setOffline(true);
    await say('In the tunnel');
    await page.getByText(/No connection/).waitFor();
    const context = page.context();
    await page.close();
    await context.setOffline(false);
    page = await context.newPage();
    await page.goto(host.at());
    const own = async () =>
      (await saidIn(id)).filter(({ sender }) => sender?.type === 'contact').map(({ content }) => content.text);
    await eventually('the message', async () => (await own()).length === 2);
    await open();
    await page.getByText('In the tunnel').waitFor();
    await page.reload();
    await open();
    await page.getByText('In the tunnel').waitFor();
    expect(await own()).toEqual(['Before', 'In the tunnel']);
    expect(await page.locator('.own .bubble').allTextContents()).toEqual(['Before', 'In the tunnel']);
  });

  it('chats from right to left on a phone: nothing is cut, and nothing covers the field', async () => {
    await visit(host.at({ lang: 'ar' }), { width: 380, hasTouch: true });
    await open();
    const field = page.getByRole('textbox');
    await field.waitFor();
    await say('أين طردي؟ ORDER-17');
    await page.locator('.own time').waitFor();
    const id = await sessionId();
    await answer(id, 'في الطريق إليك. See https://shop.example/t/17');
    const theirs = page.locator('.theirs .bubble').last();
    await page.getByRole('link', { name: /shop\.example/ }).waitFor();
    const [own, answered, frame, box] = await Promise.all(
      [page.locator('.own .bubble'), theirs, page.locator('.panel'), field].map((one) => one.boundingBox()),
    );
    if (!own || !answered || !frame || !box) throw new Error('Something is not shown');
    expect(await page.locator('.root').getAttribute('dir')).toBe('rtl');
    // Own messages are at the end of the line, which is the left.
    expect(own.x - frame.x).toBeLessThan(frame.x + frame.width - (own.x + own.width));
    expect(answered.x + answered.width).toBeGreaterThan(frame.x + frame.width - 40);
    expect([frame.x, frame.width, await overflowOf(page)]).toEqual([0, 380, 0]);
    const top = await page.evaluate<string>(
      `document.querySelector('switchboard-chat').shadowRoot.elementFromPoint(${box.x + box.width / 2}, ${box.y + box.height / 2}).localName`,
    );
    expect(['textarea', 'input']).toContain(top);
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    await page.getByRole('button', { name: '5 من 5' }).click();
    await page.locator('.csat .primary').click();
    await page.locator('.notice[role=status]').waitFor();
    expect((await org.get('/csat/scores')).body.items).toContainEqual(
      expect.objectContaining({ session_id: id, score: 5 }),
    );
    expect([complaints, host.violations]).toEqual([[], []]);
  });
});
