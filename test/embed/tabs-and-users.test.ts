import type { BrowserContext } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { type HostPage, startHostPage } from './host-page.ts';
import { openTab } from './tab.ts';

interface HistoryItem {
  event: { type: string; sender?: { type: string }; content: { text: string } };
}

(CHROMIUM ? describe : describe.skip)('a browser with several tabs or users', () => {
  let stack: Stack;
  let org: TestOrg;
  let host: HostPage;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let context: BrowserContext;

  beforeAll(async () => {
    stack = await startStack({ env: FAKES_ALLOWED });
    browser = await startBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
    host = await startHostPage(stack.url, org.widgetToken);
    context = await browser.newContext();
  });
  afterEach(async () => {
    await context.close();
    await host.close();
  });

  const visit = () => openTab(context, host.at());
  /** Visits the page as a user and opens the chat. */
  const visitAs = async (token: string) => {
    const tab = await visit();
    await tab.identify(token);
    await tab.open();
    return tab;
  };
  const newUser = async (name: string): Promise<{ token: string; id: string; again: () => Promise<string> }> => {
    const email = `${newId()}@customer.example`;
    const authenticate = async () => (await org.post('/widget/authenticate-user', { email, name })).body;
    const { token, contact } = await authenticate();
    return { token, id: contact.id, again: async () => (await authenticate()).token };
  };
  const sessions = async (): Promise<{ id: string; contact: { id: string } }[]> =>
    (await org.get('/chat/sessions')).body.items;
  const sessionOf = (contactId: string) =>
    eventually('a session', async () => (await sessions()).find(({ contact }) => contact.id === contactId)?.id);
  const contacts = async (): Promise<unknown[]> => (await org.get('/contacts')).body.items;
  const textsOf = async (id: string): Promise<string[]> =>
    (await org.get(`/chat/sessions/${id}/history`)).body.items
      .filter(({ event }: HistoryItem) => event.type === 'message' && event.sender?.type === 'contact')
      .map(({ event }: HistoryItem) => event.content.text);
  const answer = (id: string, text: string) =>
    org.post(`/chat/sessions/${id}/send`, {
      sender: 'agent',
      agent: { name: 'Grace' },
      message: { type: 'text', text },
    });

  describe('of one visitor', () => {
    it('remembers the visitor until the page is left where nothing can be stored', async () => {
      await context.addInitScript(`Storage.prototype.setItem = () => { throw new Error('The quota is used up'); };`);
      const tab = await visit();
      await tab.open();
      await tab.say('One');
      await tab.page.locator('.own time').waitFor();
      for (const text of ['T', 'Tw', 'Two']) await tab.type(text);
      await tab.say('Two');
      await eventually('both messages', async () => (await tab.own()).length === 2);
      const [{ id } = { id: '' }, ...more] = await sessions();
      expect(more).toEqual([]);
      await eventually('both in one conversation', async () => (await textsOf(id)).length === 2);
    });

    it('has one conversation in two tabs that were open before anything was written', async () => {
      const first = await visit();
      const second = await visit();
      await first.open();
      await first.say('From the first tab');
      await first.page.locator('.own time').waitFor();
      await second.open();
      await second.shows('From the first tab');
      await second.say('From the second tab');
      await first.shows('From the second tab');
      const [session, ...others] = await sessions();
      expect([others, (await contacts()).length]).toEqual([[], 1]);
      await answer(session?.id ?? '', 'To both');
      for (const tab of [first, second]) await tab.shows('To both');
      expect(await textsOf(session?.id ?? '')).toEqual(['From the first tab', 'From the second tab']);
      expect([first.complaints, second.complaints]).toEqual([[], []]);
    });

    it('has one conversation if two tabs begin at the same moment, and loses no message', async () => {
      const tabs = [await visit(), await visit(), await visit()];
      for (const [index, tab] of tabs.entries()) {
        await tab.open();
        await tab.type(`Tab ${index}`);
      }
      await Promise.all(tabs.map((tab) => tab.page.getByRole('textbox').press('Enter')));
      for (const tab of tabs) for (const index of tabs.keys()) await tab.shows(`Tab ${index}`);
      const { id } = await eventually('a session', async () => (await sessions())[0]);
      await eventually('three messages', async () => (await textsOf(id)).length === 3);
      expect((await textsOf(id)).sort()).toEqual(['Tab 0', 'Tab 1', 'Tab 2']);
      expect([(await sessions()).length, (await contacts()).length]).toEqual([1, 1]);
    });

    it('shows the whole conversation in a tab whose chat was closed while an answer came', async () => {
      const first = await visit();
      await first.open();
      await first.say('Before');
      await first.page.locator('.own time').waitFor();
      const second = await visit();
      await second.page.evaluate(`Switchboard('on', 'message', ({ text }) => (window.heard = text))`);
      const [session] = await sessions();
      await answer(session?.id ?? '', 'Meanwhile');
      await first.shows('Meanwhile');
      await eventually('the answer', async () => (await second.page.evaluate('window.heard')) === 'Meanwhile');
      await second.open();
      await second.shows('Before');
      await second.shows('Meanwhile');
    });
  });

  describe('of two users', () => {
    it('keeps what waits and what is typed for the user who wrote it', async () => {
      const [anna, bob] = [await newUser('Anna'), await newUser('Bob')];
      const tab = await visitAs(anna.token);
      await tab.say('Hello from Anna');
      await tab.page.locator('.own time').waitFor();
      await context.setOffline(true);
      await tab.say('ANNA-SECRET');
      await tab.shows(/Sending/);
      await tab.type('ANNA-DRAFT');
      await tab.identify(bob.token);
      await eventually('a chat without Anna', async () => !(await tab.seen()).match(/anna/i));
      await context.setOffline(false);
      await tab.say('Hello from Bob');
      await tab.page.locator('.own time').waitFor();
      expect(await tab.own()).toEqual(['Hello from Bob']);
      expect(await textsOf(await sessionOf(bob.id))).toEqual(['Hello from Bob']);
      expect(await textsOf(await sessionOf(anna.id))).toEqual(['Hello from Anna']);

      await tab.identify(await anna.again());
      await tab.shows('ANNA-SECRET');
      await eventually('the message', async () => (await textsOf(await sessionOf(anna.id))).length === 2);
      expect(await textsOf(await sessionOf(anna.id))).toEqual(['Hello from Anna', 'ANNA-SECRET']);
      expect(await tab.seen()).toMatch(/ANNA-DRAFT$/);
      expect(await tab.seen()).not.toMatch(/Bob/);
      expect((await sessions()).length).toBe(2);
    });

    it('keeps them over a reload, for nobody but that user', async () => {
      const [anna, bob] = [await newUser('Anna'), await newUser('Bob')];
      const tab = await visitAs(anna.token);
      await tab.say('Hello from Anna');
      await tab.page.locator('.own time').waitFor();
      await tab.page.route('**/chat/send', (route) => route.abort());
      await tab.say('ANNA-SECRET');
      await tab.shows(/Sending/);
      await tab.type('ANNA-DRAFT');
      await tab.page.unroute('**/chat/send');
      await tab.page.reload();
      await tab.open();
      expect(await tab.seen()).not.toMatch(/anna/i);
      await tab.identify(bob.token);
      await tab.say('Hello from Bob');
      await tab.page.locator('.own time').waitFor();
      expect(await tab.seen()).not.toMatch(/anna/i);
      expect(await textsOf(await sessionOf(bob.id))).toEqual(['Hello from Bob']);
      await tab.page.reload();
      await tab.identify(anna.token);
      await tab.open();
      await eventually('the message', async () => (await textsOf(await sessionOf(anna.id))).length === 2);
      expect(await tab.seen()).toMatch(/ANNA-DRAFT$/);
      expect((await sessions()).length).toBe(2);
    });

    it('shows each tab the messages of its user alone, and answers reach both', async () => {
      const [anna, bob] = [await newUser('Anna'), await newUser('Bob')];
      const annas = await visitAs(anna.token);
      await annas.say('Anna private');
      await annas.page.locator('.own time').waitFor();
      const bobs = await visitAs(bob.token);
      await bobs.say('BOB private');
      await bobs.page.locator('.own time').waitFor();
      await answer(await sessionOf(bob.id), 'Answer to Bob');
      await bobs.shows('Answer to Bob');
      await answer(await sessionOf(anna.id), 'Answer to Anna');
      await annas.shows('Answer to Anna');
      await annas.say('Anna again');
      await eventually('the message', async () => (await textsOf(await sessionOf(anna.id))).length === 2);
      expect(await annas.seen()).not.toMatch(/bob/i);
      expect(await bobs.seen()).not.toMatch(/anna/i);
      expect((await sessions()).length).toBe(2);
      expect([annas.complaints, bobs.complaints]).toEqual([[], []]);
    });

    it('gives what an anonymous visitor has not sent to the user who they turn out to be, once and in all tabs', async () => {
      const anna = await newUser('Anna');
      const other = await visit();
      const tab = await visit();
      await tab.open();
      await tab.say('Before');
      await tab.page.locator('.own time').waitFor();
      await context.setOffline(true);
      await tab.say('Waits');
      await tab.shows(/Sending/);
      await tab.type('Typed');
      await tab.identify(anna.token);
      await tab.shows('Waits');
      expect(await tab.own()).toEqual(['Waits']);
      await context.setOffline(false);
      await tab.page.locator('.own time').waitFor();
      expect(await textsOf(await sessionOf(anna.id))).toEqual(['Waits']);
      expect(await tab.page.getByRole('textbox').inputValue()).toBe('Typed');
      await other.open();
      await other.shows('Before');
      expect((await sessions()).length).toBe(2);
    });

    it('sends a message once that is under way when its anonymous visitor is identified', async () => {
      const anna = await newUser('Anna');
      const tab = await visit();
      await tab.open();
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      const isSent = tab.page.waitForRequest('**/chat/send');
      await tab.page.route('**/chat/send', (route) => isReleased.then(() => route.continue()));
      await tab.say('Under way');
      await tab.say('Next');
      await isSent;
      await tab.identify(anna.token);
      release();
      await eventually('the next message', async () => (await textsOf(await sessionOf(anna.id))).length > 0);
      const texts = await Promise.all((await sessions()).map(({ id }) => textsOf(id)));
      expect(texts.flat().sort()).toEqual(['Next', 'Under way']);
    });

    it('keeps what waits of a user whose token has expired until the page names them again', async () => {
      const [anna, bob] = [await newUser('Anna'), await newUser('Bob')];
      const tab = await visitAs(anna.token);
      await tab.say('Hello from Anna');
      await tab.page.locator('.own time').waitFor();
      await tab.page.evaluate(`Switchboard('on', 'unauthorized', () => (window.isUnauthorized = true))`);
      await context.route('**/backend/**', (route) =>
        route.fulfill({ status: 401, headers: { 'access-control-allow-origin': '*' }, json: {} }),
      );
      await tab.say('ANNA-SECRET');
      await eventually('the news', () => tab.page.evaluate<boolean>('window.isUnauthorized'));
      await context.unroute('**/backend/**');
      await tab.type('ANNA-TYPED');
      await tab.identify(bob.token);
      await eventually('the chat of Bob', async () => (await tab.own()).length === 0);
      expect(await tab.seen()).not.toMatch(/anna/i);
      await tab.say('Hello from Bob');
      await tab.page.locator('.own time').waitFor();
      expect(await tab.seen()).not.toMatch(/anna/i);
      await tab.identify(await anna.again());
      await eventually('the message', async () => (await textsOf(await sessionOf(anna.id))).length === 2);
      expect(await textsOf(await sessionOf(bob.id))).toEqual(['Hello from Bob']);
      expect((await sessions()).length).toBe(2);
    });

    it('shows nothing of a user once the page signs them out', async () => {
      const anna = await newUser('Anna');
      const tab = await visitAs(anna.token);
      await tab.say('Hello from Anna');
      await tab.page.locator('.own time').waitFor();
      await tab.page.evaluate(`Switchboard('identify')`);
      await eventually('the chat of nobody', async () => (await tab.own()).length === 0);
      await tab.identify(await anna.again());
      await tab.shows('Hello from Anna');
    });

    it('adds what was typed before the page named a user to what that user had typed', async () => {
      const anna = await newUser('Anna');
      const first = await visitAs(anna.token);
      await first.say('Hello from Anna');
      await first.page.locator('.own time').waitFor();
      await first.type('A long draft');
      await first.page.close();
      const second = await visit();
      await second.open();
      await second.type('hi');
      await second.identify(await anna.again());
      await second.shows('Hello from Anna');
      await eventually('both', async () => (await second.seen()).endsWith('A long draft\nhi'));
    });

    it('deletes what the browser remembers of users who were here 30 days or ten users ago', async () => {
      const anna = await newUser('Anna');
      const tab = await visit();
      const names = await tab.page.evaluate<string[]>(`(() => {
        const put = (user, at) => {
          localStorage.setItem('switchboard:${org.widgetToken}:' + user, '{}');
          localStorage.setItem('switchboard:${org.widgetToken}:' + user + ':draft', '"Typed"');
          localStorage.setItem('switchboard:${org.widgetToken}:' + user + ':waiting', JSON.stringify({ queue: [], at }));
        };
        for (let n = 0; n < 12; n++) put('user-' + n, Date.now() - n * 1000);
        put('old', Date.now() - 31 * 24 * 3600_000);
        Switchboard('identify', { token: '${anna.token}' });
        return Object.keys(localStorage);
      })()`);
      expect(names.filter((name) => name.endsWith(':draft')).length).toBe(10);
      expect(names.length).toBe(30);
      expect(names.filter((name) => /old|user-1[01]/.test(name))).toEqual([]);
    });

    it('has one tab ask for all tabs of a user', async () => {
      const anna = await newUser('Anna');
      const first = await visitAs(anna.token);
      await first.say('Hello');
      await first.page.locator('.own time').waitFor();
      const second = await visitAs(await anna.again());
      await second.shows('Hello');
      const asking = new Set<unknown>();
      for (const { page } of [first, second])
        page.on('request', (request) => {
          if (request.url().includes('&wait=')) asking.add(page);
        });
      await answer(await sessionOf(anna.id), 'To both');
      for (const tab of [first, second]) await tab.shows('To both');
      await answer(await sessionOf(anna.id), 'Again');
      for (const tab of [first, second]) await tab.shows('Again');
      expect([asking.size, (await sessions()).length]).toEqual([1, 1]);
    });
  });
});
