import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { CHROMIUM } from '../support/chromium.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { untilPasses } from '../support/stack/stack.ts';

const FILE = { name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from('Terms') };

(CHROMIUM ? describe : describe.skip)('the composer', () => {
  let api: TestApi;
  let stack: TestConsole;
  beforeAll(async () => {
    api = await startApi({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } });
    stack = await startConsole(api, api.org);
    const recipients = [{ to_email: 'x@customer.example', email_subject: 'Hi', email_body: 'Hi' }];
    await api.org.post('/email', { from_email: 'hello@acme.example', recipients });
  }, 120_000);
  afterAll(async () => {
    await stack.close();
    await api.close();
  });

  const said = async (id: string, text: string) =>
    JSON.stringify((await api.org.get(`/chat/sessions/${id}/history`)).body).split(text).length - 1;
  const draftsIn = async (id: string) => {
    const rows = await api.db
      .selectFrom('drafts')
      .select(['kind', 'text', 'media_ids'])
      .where('session_id', '=', id)
      .execute();
    return rows.map(({ kind, text, media_ids }) => [kind, text, media_ids.length]);
  };
  const byEmail = async (name: string) => {
    const { body: contact } = await api.org.post('/contacts', { contact: { name, email: `${name}@customer.example` } });
    const { body } = await api.org.post('/chat/sessions', { contact_id: contact.id, channel: { type: 'email' } });
    await stack.say(body.id, 'Where is my parcel?');
    return body.id as string;
  };
  const stored = (page: Page) => page.getByText('Draft stored').waitFor();

  it('adds a file to what was written while it was uploaded, also in between in another conversation', async () => {
    const [id] = [await stack.conversation('Ada', 'One'), await stack.conversation('Ben', 'Two')];
    const { page, reply, log, button } = await stack.open('ann@acme.example', id);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/media', (route) => isReleased.then(() => route.continue()));
    await reply.fill('Start. ');
    await page.getByLabel('Attach files').setInputFiles(FILE);
    await page.getByText('Uploading').waitFor();
    await page.getByRole('link', { name: /Ben/ }).click();
    await log.getByText('Two').waitFor();
    await page.getByRole('link', { name: /Ada/ }).click();
    await log.getByText('One').waitFor();
    await page.getByText('Uploading').waitFor();
    await reply.fill('Start. And more');
    await stored(page);
    expect(await button('Send').isDisabled()).toBe(true);
    release();
    await button('Remove terms.txt').waitFor();
    expect(await reply.inputValue()).toBe('Start. And more');
    await untilPasses(async () => expect(await draftsIn(id)).toEqual([['reply', 'Start. And more', 1]]));
    await page.reload();
    await button('Remove terms.txt').waitFor();
    expect(await reply.inputValue()).toBe('Start. And more');
    await page.close();
  });

  it.each(['', 'elsewhere'])(
    'sends a draft once that is open twice, and empties the other field (%s)',
    async (browserName) => {
      const id = await stack.conversation('Cho', 'Hello');
      const one = await stack.open('ann@acme.example', id);
      await one.reply.fill('Only once');
      await stored(one.page);
      const other = await stack.open('ann@acme.example', id, { browserName });
      await stored(other.page);
      expect(await other.reply.inputValue()).toBe('Only once');
      await one.reply.press('Control+Enter');
      await one.log.getByText('Only once').waitFor();
      await other.log.getByText('Only once').waitFor();
      await untilPasses(async () => expect(await other.reply.inputValue()).toBe(''));
      await other.page.close();
      await one.page.close();
    },
  );

  it('does not send a draft again that was sent in a browser that this one has not heard of', async () => {
    const id = await stack.conversation('Dan', 'Hello');
    const one = await stack.open('ann@acme.example', id);
    await one.reply.fill('Only once');
    await stored(one.page);
    const other = await stack.open('ann@acme.example', id, { browserName: 'deaf' });
    await stored(other.page);
    await other.page.route('**/draft', (route) => route.abort());
    await one.reply.press('Control+Enter');
    await other.log.getByText('Only once').waitFor();
    expect(await other.reply.inputValue()).toBe('Only once');
    await other.page.unroute('**/draft');
    await other.reply.press('Control+Enter');
    await other.page.getByRole('alert').getByText('Not sent: this draft was sent or changed').waitFor();
    expect(await other.reply.inputValue()).toBe('');
    expect(await said(id, 'Only once')).toBe(1);
    await other.page.close();
    await one.page.close();
  });

  it('keeps what was changed in the other tab when the draft is sent', async () => {
    const id = await stack.conversation('Eva', 'Hello');
    const one = await stack.open('ann@acme.example', id);
    await one.reply.fill('First');
    await stored(one.page);
    const other = await stack.open('ann@acme.example', id);
    await stored(other.page);
    await other.page.route('**/draft', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await other.reply.fill('First, and more');
    await one.reply.press('Control+Enter');
    await other.log.getByText('First').waitFor();
    await other.page.unroute('**/draft');
    await stored(other.page);
    expect(await other.reply.inputValue()).toBe('First, and more');
    expect(await draftsIn(id)).toEqual([['reply', 'First, and more', 0]]);
    await other.page.close();
    await one.page.close();
  });

  it('shows what another tab writes where nothing was typed', async () => {
    const id = await stack.conversation('Fay', 'Hello');
    const one = await stack.open('ann@acme.example', id);
    const other = await stack.open('ann@acme.example', id);
    await one.reply.fill('A long answer');
    await untilPasses(async () => expect(await other.reply.inputValue()).toBe('A long answer'));
    await other.reply.fill('A longer answer');
    await untilPasses(async () => expect(await one.reply.inputValue()).toBe('A longer answer'));
    await other.page.close();
    await one.page.close();
  });

  it.each([
    ['Keep this one', 'ok'],
    ['Take the other one', 'A long answer'],
  ])('stores no draft over one from another browser before the member has chosen: %s', async (choice, text) => {
    const id = await stack.conversation('Gus', 'Hello');
    const one = await stack.open('ann@acme.example', id);
    const other = await stack.open('ann@acme.example', id, { browserName: 'elsewhere' });
    await one.reply.fill('A long answer');
    await stored(one.page);
    await other.reply.pressSequentially('ok');
    const notice = other.page.getByRole('alert').filter({ hasText: 'another draft' });
    await notice.getByText('A long answer').waitFor();
    expect(await draftsIn(id)).toEqual([['reply', 'A long answer', 0]]);
    expect(await other.button('Send').isDisabled()).toBe(true);
    await other.button(choice).click();
    await stored(other.page);
    expect(await other.reply.inputValue()).toBe(text);
    await untilPasses(async () => expect(await draftsIn(id)).toEqual([['reply', text, 0]]));
    await one.page.evaluate('window.dispatchEvent(new Event("focus"))');
    await untilPasses(async () => expect(await one.reply.inputValue()).toBe(text));
    await other.page.close();
    await one.page.close();
  });

  it('does not send a held reply behind what was written while it was held', async () => {
    const id = await byEmail('hal');
    const { page, reply, log, button } = await stack.open('ann@acme.example', id);
    await reply.fill('On its way');
    await reply.press('Control+Enter');
    await button('Do not send').waitFor();
    await stack.say(id, 'STOP do NOT');
    await log.getByText('STOP do NOT').waitFor();
    await page.getByRole('alert').getByText('STOP do NOT').waitFor();
    expect([await said(id, 'On its way'), await reply.inputValue()]).toEqual([0, 'On its way']);
    await button('Send anyway').click();
    await button('Do not send').waitFor();
    await log.getByText('On its way').waitFor();
    await page.close();
  });

  it('names who gets a reply by e-mail, and leaves out the copies where it is told to', async () => {
    const id = await byEmail('pam');
    const mail = sql`data || '{"subject": "Lost parcel", "cc": ["boss@customer.example", "pam@customer.example"]}'`;
    await sql`update session_events set data = ${mail} where session_id = ${id} and type = 'message'`.execute(api.db);
    const { page, reply, log } = await stack.open('ann@acme.example', id);
    await log.getByText('Lost parcel').waitFor();
    await log.getByText('Cc boss@customer.example, pam@customer.example').waitFor();
    await page.getByText('To pam@customer.example').waitFor();
    const copies = page.getByRole('checkbox', { name: 'Copies to boss@customer.example', exact: true });
    await copies.uncheck();
    const request = page.waitForRequest(/\/send$/);
    await reply.fill('On its way');
    await reply.press('Control+Enter');
    expect((await request).postDataJSON()).toMatchObject({ copies: false });
    await log.getByText('On its way').waitFor();
    expect(await copies.isChecked()).toBe(true);
    await page.close();
  });

  it('adds a note once where the answer to the first try was lost', async () => {
    const id = await stack.conversation('Quin', 'Hello');
    const { page, note, log, button } = await stack.open('ann@acme.example', id);
    await page.route('**/notes', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.keyboard.press('n');
    await note.fill('Called back');
    await note.press('Control+Enter');
    await log.getByText('Called back').waitFor();
    await page.unroute('**/notes');
    await stored(page);
    await button('Add note').click();
    await untilPasses(async () => expect(await note.inputValue()).toBe(''));
    expect(await said(id, 'Called back')).toBe(1);
    await page.close();
  });

  it('takes a store whose answer was lost for its own, however much is written since', async () => {
    const id = await stack.conversation('Rae', 'Hello');
    const { page, reply } = await stack.open('ann@acme.example', id);
    let lost = 0;
    await page.route('**/draft', async (route) => {
      if (route.request().method() !== 'PUT' || lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await reply.fill('ab');
    await untilPasses(() => expect(lost).toBe(1));
    await reply.fill('abc');
    await stored(page);
    expect(await draftsIn(id)).toEqual([['reply', 'abc', 0]]);
    expect(await page.getByText('You have written another draft').count()).toBe(0);
    await page.close();
  });

  it('stops a held reply by Z from its own field', async () => {
    const id = await byEmail('ida');
    const { page, reply, button } = await stack.open('ann@acme.example', id);
    await reply.fill('On its way');
    await reply.press('Control+Enter');
    await button('Do not send').waitFor();
    await page.keyboard.press('z');
    await page.getByRole('status').getByText('Not sent').waitFor();
    await button('Send').waitFor();
    expect(await reply.inputValue()).toBe('On its way');
    await page.close();
  });

  it('never offers a note as a reply, and keeps one of each', async () => {
    const id = await stack.conversation('Jo', 'Hello');
    const { page, reply, note, log } = await stack.open('ann@acme.example', id);
    await page.keyboard.press('n');
    await note.pressSequentially('INTERNAL: fraud suspect');
    await note.press('Escape');
    await page.keyboard.press('r');
    expect(await reply.inputValue()).toBe('');
    await reply.pressSequentially('Thank you');
    await stored(page);
    const both = [
      ['note', 'INTERNAL: fraud suspect', 0],
      ['reply', 'Thank you', 0],
    ];
    await untilPasses(async () => expect((await draftsIn(id)).toSorted()).toEqual(both));
    await page.reload();
    await untilPasses(async () => expect(await reply.inputValue()).toBe('Thank you'));
    await reply.press('Control+Enter');
    await log.getByText('Thank you').waitFor();
    await reply.press('Escape');
    await page.keyboard.press('n');
    expect(await note.inputValue()).toBe('INTERNAL: fraud suspect');
    await note.press('Control+Enter');
    await log.getByText('INTERNAL').waitFor();
    await untilPasses(async () => expect(await draftsIn(id)).toEqual([]));
    await page.close();
  });

  it('says while it is written that a reply is too long', async () => {
    const id = await stack.conversation('Kim', 'Hello');
    const { page, reply, button } = await stack.open('ann@acme.example', id);
    await reply.fill('x'.repeat(50_001));
    await page.getByText('Too long to be sent by 1 character: at most 50,000 go in one.').waitFor();
    expect(await button('Send').isDisabled()).toBe(true);
    await reply.press('Control+Enter');
    await reply.press('Backspace');
    await page.getByText('Too long').waitFor({ state: 'detached' });
    expect(await said(id, 'xxx')).toBe(0);
    await page.close();
  });

  it('attaches a file dropped on the conversation, and says that a note takes none', async () => {
    const id = await stack.conversation('Lea', 'Hello');
    const { page, log, button } = await stack.open('ann@acme.example', id);
    const drop = (selector: string) =>
      page.evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['Terms'], 'terms.txt', { type: 'text/plain' }));
        const event = (type) => new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer });
        const target = document.querySelector(${JSON.stringify(selector)});
        return ['dragover', 'drop'].map((type) => !target.dispatchEvent(event(type)));
      })()`);
    expect(await drop('[aria-label="Areas"]')).toEqual([true, true]);
    expect(await drop('[role=log] article')).toEqual([true, true]);
    await button('Remove terms.txt').waitFor();
    expect(await page.getByRole('button', { name: 'Remove terms.txt' }).count()).toBe(1);
    await page.keyboard.press('n');
    expect(await drop('[role=log]')).toEqual([true, true]);
    await page.getByText('Notes take no files').waitFor();
    await log.waitFor();
    await page.close();
  });
});
