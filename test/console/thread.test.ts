import { sql } from 'kysely';
import { signIn } from '../sign-in/signing-in.ts';
import { CHROMIUM, overflowOf, WIDTHS } from '../support/chromium.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { greyPng } from '../support/pictures.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { untilPasses } from '../support/stack/stack.ts';
import { unverified } from '../widget/client.ts';

/** The first message below the top of a log, and where it is. */
const FIRST_BELOW_TOP = `(() => {
  const log = document.querySelector('[role=log]');
  const top = log.getBoundingClientRect().top + 40;
  const article = [...log.querySelectorAll('article')].find((one) => one.getBoundingClientRect().top > top);
  return { text: article.innerText, y: Math.round(article.getBoundingClientRect().top) };
})()`;

/** The direction of each piece of Arabic text: of messages and notes, of the last words in the list, and of the reply. */
const DIRECTIONS = `[...document.querySelectorAll('[role=log] :is(p, blockquote, li), a[aria-current] > span, textarea')]
  .filter((one) => /[\u0600-\u06ff]/.test(one.value || one.textContent))
  .map((one) => getComputedStyle(one).direction)`;

(CHROMIUM ? describe : describe.skip)('a conversation in the console', () => {
  let api: TestApi;
  let stack: TestConsole;
  beforeAll(async () => {
    api = await startApi({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } });
    stack = await startConsole(api, api.org);
    for (const tag_name of ['refund', 'vip']) await api.org.put('/tags', { tag_name });
    await api.org.patch('/org/settings', { session_statuses: [{ id: 7, name: 'Waits for parts' }] });
  }, 120_000);
  afterAll(async () => {
    await stack.close();
    await api.close();
  });

  it('keeps a draft when another conversation opens, and for the same member in another browser', async () => {
    const [first, second] = [await stack.conversation('Ada', 'One'), await stack.conversation('Ben', 'Two')];
    const { page, reply, log, complaints } = await stack.open('ann@acme.example', first);
    await reply.fill('Half of an answer');
    await page.getByRole('link', { name: /Ben/ }).click();
    await log.getByText('Two').waitFor();
    expect(await reply.inputValue()).toBe('');
    await page.getByRole('link', { name: /Ada/ }).click();
    await log.getByText('One').waitFor();
    expect(await reply.inputValue()).toBe('Half of an answer');
    await page.getByText('Draft stored').waitFor();
    const elsewhere = await stack.open('ann@acme.example', first, { browserName: 'elsewhere' });
    await elsewhere.page.getByText('Draft stored').waitFor();
    expect(await elsewhere.reply.inputValue()).toBe('Half of an answer');
    await reply.press('Control+Enter');
    await log.getByText('Half of an answer').waitFor();
    expect(await reply.inputValue()).toBe('');
    await elsewhere.page.goto(`${api.url}/console/s/${second}`);
    await elsewhere.log.getByText('Two').waitFor();
    await elsewhere.page.goto(`${api.url}/console/s/${first}`);
    await elsewhere.log.getByText('Half of an answer').waitFor();
    expect(await elsewhere.reply.inputValue()).toBe('');
    expect(complaints).toEqual([]);
    await elsewhere.page.close();
    await page.close();
  });

  it('says that a draft could not be stored, and stores it once the server is back', async () => {
    const id = await stack.conversation('Cleo', 'Hello');
    const { page, reply, button } = await stack.open('ann@acme.example', id);
    await page.route('**/draft', (route) => (route.request().method() === 'PUT' ? route.abort() : route.continue()));
    await reply.fill('Not lost');
    await page.getByText('Draft not stored').waitFor();
    await page.unroute('**/draft');
    await button('Try again').click();
    await page.getByText('Draft stored').waitFor();
    await page.close();
  });

  it('says which API key did what happened, and names the channel of a reply', async () => {
    const id = await stack.conversation('Dan', 'Hello');
    await api.org.post(`/chat/sessions/${id}/tags`, { tags: ['vip'] });
    await stack.say(id, 'It is done.', 'agent');
    const { page, log } = await stack.open('ann@acme.example', id);
    await log.getByText('Tag added').click();
    await log.getByText('tag added “vip”, by the API key Test').waitFor();
    await log.getByText(/^API key Test ·/).waitFor();
    await page.getByText('Channel: API').waitFor();
    await page.getByRole('heading', { name: /· API$/ }).waitFor();
    await page.close();
  });

  it('shows who else views a conversation and writes there', async () => {
    const id = await stack.conversation('Eve', 'Is anybody there?');
    const ann = await stack.open('ann@acme.example', id);
    const ben = await stack.open('ben@acme.example', id);
    const here = ann.page.getByRole('list', { name: 'Also here' });
    await here.getByText('ben').waitFor();
    await ben.reply.fill('I a');
    await ann.page.getByText('ben is writing…').waitFor();
    await ben.reply.fill('');
    await ben.page.close();
    await ann.page.close();
  });

  it('shows that the customer writes in the widget', async () => {
    const widget = await unverified(api, api.org);
    const id = await widget.newSession();
    await widget.send(id, 'Hello');
    const { page } = await stack.open('ann@acme.example', id);
    await widget.post('typing', { session_id: id });
    await page.getByText('The customer is writing…').waitFor();
    await widget.post('typing', { session_id: id, state: 'gone' });
    await page.getByText('The customer is writing…').waitFor({ state: 'detached' });
    await page.close();
  });

  it('sends nothing behind messages that the member has not seen, and sends it anyway if told to', async () => {
    const id = await stack.conversation('Dora', 'Where is my parcel?');
    const { page, reply, log, button } = await stack.open('ann@acme.example', id);
    await reply.fill('It is on its way.');
    await stack.say(id, 'I found it!');
    await reply.press('Control+Enter');
    await page.getByRole('alert').getByText('I found it!').waitFor();
    expect(await reply.inputValue()).toBe('It is on its way.');
    await button('Send anyway').click();
    await log.getByText('It is on its way.').waitFor();
    expect(await reply.inputValue()).toBe('');
    await page.close();
  });

  it('inserts a saved reply by its shortcut, with the fields of the contact and what it does on sending', async () => {
    const text = 'Hello {{contact.name}}, your refund is under way. {{contact.custom_data.order}}';
    const actions = { tags: ['refund'], status: 'closed_resolved' };
    await api.org.post('/saved-replies', { shortcut: 'refund', title: 'Refund', text, actions });
    const id = await stack.conversation('Fay', 'I want my money back');
    const { page, reply, log } = await stack.open('ann@acme.example', id);
    await reply.pressSequentially('/ref');
    await page.getByRole('option', { name: /refund · Refund/ }).waitFor();
    await reply.press('Enter');
    await page.getByText('The contact has no').waitFor();
    expect(await reply.inputValue()).toBe('Hello Fay, your refund is under way. ');
    await page.getByText('On sending: tag “refund”, close as resolved').waitFor();
    await reply.press('Control+Enter');
    await log.getByText('Hello Fay').waitFor();
    await page.getByText('Resolved', { exact: true }).waitFor();
    await untilPasses(async () => {
      const { body } = await api.org.get(`/chat/sessions/${id}`);
      expect(body).toMatchObject({ status: 'closed_resolved', tags: ['refund'] });
    });
    await page.close();
  });

  it('mentions a member in a note', async () => {
    const id = await stack.conversation('Gus', 'Who knows this?');
    const { page, note, log, button } = await stack.open('ann@acme.example', id);
    await page.keyboard.press('n');
    await note.pressSequentially('Please look, @be');
    await page.getByRole('option', { name: /^ben/ }).click();
    await button('Add note').click();
    await log.getByText('Please look, @ben').waitFor();
    const { body } = await api.org.get(`/chat/sessions/${id}/history?order=desc`);
    expect(body.items[0].event.mentions).toHaveLength(1);
    await page.close();
  });

  it('is worked by the keyboard: assign, tag, snooze, close, open again', async () => {
    const id = await stack.conversation('Hal', 'Hello');
    const ben = await stack.open('ben@acme.example', id);
    await ben.page.close();
    const { page } = await stack.open('ann@acme.example', id);
    const { keyboard } = page;
    const session = async () => (await api.org.get(`/chat/sessions/${id}`)).body;
    await keyboard.press('a');
    await page.getByRole('combobox', { name: 'Assign to' }).fill('ben');
    await page.getByRole('option', { name: 'ben' }).waitFor();
    await keyboard.press('Enter');
    await page.getByText('ben answers').waitFor();
    await keyboard.press('l');
    await page.getByRole('combobox', { name: 'Find a tag' }).fill('vip');
    await page.getByRole('option', { name: 'vip' }).waitFor();
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove the tag vip' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Find a tag' }).waitFor({ state: 'detached' });
    await keyboard.press('h');
    await page.getByRole('menuitem', { name: 'Until tomorrow' }).click();
    await page.getByText('Snoozed until', { exact: false }).first().waitFor();
    await keyboard.press('Shift+E');
    await page.getByRole('menuitem', { name: 'Waits for parts' }).click();
    await page.getByText('ben answers · Waits for parts').waitFor();
    await keyboard.press('e');
    await page.getByText('Resolved', { exact: true }).waitFor();
    await keyboard.press('e');
    await untilPasses(async () => expect((await session()).status).toBe('open'));
    await page.getByText('ben answers').waitFor();
    await keyboard.press('Shift+E');
    await page.getByRole('menuitem', { name: 'Unresolved' }).click();
    await page.getByText('Closed unresolved', { exact: true }).waitFor();
    const end = { status: 'closed_unresolved', tags: ['vip'] };
    await untilPasses(async () => expect(await session()).toMatchObject(end));
    await keyboard.press('.');
    await page.getByRole('menuitem', { name: 'Mark as unread' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('menuitem', { name: 'Mark as unread' }).waitFor({ state: 'detached' });
    const views = page.getByRole('navigation', { name: 'Views' });
    await keyboard.press('[');
    await views.waitFor({ state: 'hidden' });
    await keyboard.press('[');
    await views.waitFor();
    const { assignee_id } = await session();
    await keyboard.press('g');
    await keyboard.press('i');
    await page.waitForURL(`${api.url}/console/inbox`);
    expect((await session()).assignee_id).toBe(assignee_id);
    await page.close();
  });

  it('takes nothing back that somebody else has changed since, and snoozes again what it opens', async () => {
    const id = await stack.conversation('Kim', 'Hello');
    const until = new Date(Date.now() + 20 * 86_400_000).toISOString();
    const { page, button } = await stack.open('ann@acme.example', id);
    const said = (text: string | RegExp) => page.getByRole('status').getByText(text).waitFor();
    const ben = await signIn(api, 'agent');
    await page.keyboard.press('i');
    await said(/^Assigned to ann/);
    await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: ben.id });
    await page.keyboard.press('z');
    await said('Somebody has changed it since: nothing is undone');
    expect((await api.org.get(`/chat/sessions/${id}`)).body.assignee_id).toBe(ben.id);

    expect((await api.org.post(`/chat/sessions/${id}/snooze`, { until })).status).toBe(200);
    await page
      .getByText(/^Snoozed until/)
      .first()
      .waitFor();
    await page.keyboard.press('e');
    await said('Closed');
    await page.keyboard.press('z');
    await page
      .getByText(/^Snoozed until/)
      .first()
      .waitFor();
    const isBack = async () => {
      const { body } = await api.org.get(`/chat/sessions/${id}`);
      expect([body.status, body.snoozed_until]).toEqual(['open', until]);
    };
    await untilPasses(isBack);
    await page.keyboard.press('h');
    await page.getByRole('menuitem', { name: /^Until a reply/ }).click();
    await said('Snoozed until the customer writes');
    await page.keyboard.press('z');
    await untilPasses(isBack);
    await page.keyboard.press('e');
    await said('Closed');
    await stack.say(id, 'I am back');
    await untilPasses(async () => expect((await api.org.get(`/chat/sessions/${id}`)).body.status).toBe('open'));
    await page.keyboard.press('z');
    await said('Somebody has changed it since: nothing is undone');
    expect((await api.org.get(`/chat/sessions/${id}`)).body.snoozed_at).toBeNull();
    await page.keyboard.press('h');
    await page.getByLabel('Until', { exact: true }).fill('2020-01-01T09:00');
    await button('Set').click();
    expect(await page.evaluate('document.querySelector("[name=until]").validity.rangeUnderflow')).toBe(true);
    await page.close();
  });

  it('shows a change until the server has refused it, and no answer that is older than the change', async () => {
    const id = await stack.conversation('Ian', 'Hello');
    const { page } = await stack.open('ann@acme.example', id);
    await page.getByText('Nobody answers').waitFor();
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(`**/chat/sessions/${id}`, async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      held.resolve();
      await release.promise;
      return route.fulfill({ response });
    });
    await api.org.post(`/chat/sessions/${id}/tags`, { tags: ['vip'] });
    await held.promise;
    await page.keyboard.press('e');
    await page.getByText('Resolved', { exact: true }).waitFor();
    await untilPasses(async () =>
      expect((await api.org.get(`/chat/sessions/${id}`)).body.status).toBe('closed_resolved'),
    );
    release.resolve();
    await page.getByText('vip').first().waitFor(); // what was read behind the change has it
    expect(await page.getByText('Resolved', { exact: true }).count()).toBe(1);

    await page.route(`**/chat/sessions/${id}`, (route) => route.abort());
    await page.keyboard.press('e');
    await page
      .getByText(/^The server cannot be reached/)
      .first()
      .waitFor();
    await page.getByText('Resolved', { exact: true }).waitFor();
    await page.close();
  });

  it('redacts a message for who may, and shows a viewer nothing to act with', async () => {
    const id = await stack.conversation('Ida', 'My card is 4111');
    const viewer = await stack.open('vic@acme.example', id, { role: 'viewer' });
    expect(await viewer.page.getByRole('button').allInnerTexts()).not.toContain('Close');
    expect(await viewer.page.getByRole('textbox', { name: 'Reply' }).count()).toBe(0);
    expect(await viewer.button('Actions of the message').count()).toBe(0);
    const admin = await stack.open('root@acme.example', id, { role: 'admin' });
    await admin.button('Actions of the message').click();
    await admin.page.getByRole('menuitem', { name: 'Redact…' }).click();
    const requests: string[] = [];
    admin.page.on('request', (request) => requests.push(request.url()));
    const why = admin.page.getByRole('textbox', { name: 'Why' });
    for (const nothing of ['', '  ']) {
      await why.fill(nothing);
      await admin.button('Redact for good').click();
    }
    expect(await admin.page.evaluate('document.querySelector("textarea:invalid") === document.activeElement')).toBe(
      true,
    );
    expect(requests.filter((url) => url.includes('/redaction'))).toEqual([]);
    await why.fill('A card number');
    await admin.button('Redact for good').click();
    await admin.log.getByText('Redacted').first().waitFor();
    await viewer.log.getByText('4111').waitFor({ state: 'detached' });
    expect([...viewer.complaints, ...admin.complaints]).toEqual([]);
    await viewer.page.close();
    await admin.page.close();
  });

  it('holds a reply by e-mail for five seconds: it can be stopped, and goes out at once where its page is closed', async () => {
    const { body: contact } = await api.org.post('/contacts', {
      contact: { name: 'Lea', email: 'lea@customer.example' },
    });
    const recipients = [{ to_email: 'lea@customer.example', email_subject: 'Hi', email_body: 'Hi' }];
    await api.org.post('/email', { from_email: 'hello@acme.example', recipients });
    const { body } = await api.org.post('/chat/sessions', { contact_id: contact.id, channel: { type: 'email' } });
    await stack.say(body.id, 'Where is my parcel?');
    const said = async () =>
      JSON.stringify((await api.org.get(`/chat/sessions/${body.id}/history`)).body).match(/On its way/g)?.length ?? 0;
    const { page, reply, button } = await stack.open('lou@acme.example', body.id);
    await reply.fill('On its way');
    await reply.press('Control+Enter');
    await button('Do not send').waitFor();
    await page.getByRole('status').getByText('Sending in 5 seconds').waitFor();
    await button('Do not send').click();
    await button('Send').waitFor();
    await page.getByRole('status').getByText('Not sent').waitFor();
    expect([await reply.inputValue(), await said()]).toEqual(['On its way', 0]);
    await reply.press('Control+Enter');
    await button('Do not send').waitFor();
    await page.close({ runBeforeUnload: true });
    await untilPasses(async () => expect(await said()).toBe(1));
    const again = await stack.open('lou@acme.example', body.id);
    await again.log.getByText('On its way').waitFor();
    expect(await again.reply.inputValue()).toBe('');
    await again.page.close();
  });

  it('says before it is written that a reply cannot be delivered, and takes a note', async () => {
    const { body } = await api.org.post('/chat/sessions', { channel: { type: 'phone_voice' } });
    await stack.say(body.id, 'Hello?');
    const { page, reply, note, log, button } = await stack.open('ann@acme.example', body.id);
    await page.getByText('Nothing would deliver this message').waitFor();
    await reply.fill('Hi');
    expect(await button('Send').isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await note.fill('Hi');
    await note.press('Control+Enter');
    await log.getByText('Hi', { exact: true }).waitFor();
    await page.close();
  });

  it('shows each part of an answer once, however often the conversation changes', async () => {
    const id = await stack.conversation('Mia', 'How do I change my password?');
    const lines = ['Open **Account** and *Profile*', 'Press **Save**, see [Help](https://a.example/h) or `code`'];
    const blocks = [lines.map((line) => `> ${line}`), lines, lines.map((line) => `- ${line}`)];
    await stack.say(id, blocks.map((block) => block.join('\n')).join('\n\n'), 'agent');
    await asAi(id);
    const { page, log } = await stack.open('ann@acme.example', id);
    const answer = log.getByRole('article').last().locator('div').first();
    await answer.locator('blockquote strong').first().waitFor();
    const before = await answer.textContent();
    for (const [key, says] of [
      ['t', 'You answer'],
      ['e', 'Resolved'],
      ['e', 'You answer'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByText(says, { exact: true }).first().waitFor();
      expect(await answer.textContent()).toBe(before);
    }
    await page.close();
  });

  it('shows what people answer in the widget as the customer sees it, and the texts of customers as they are', async () => {
    const widget = await unverified(api, api.org);
    const id = await widget.newSession();
    await widget.send(id, 'It is **not** here');
    await stack.say(id, 'Open **Profile**, see [Help](https://a.example/h)', 'agent');
    const { page, log } = await stack.open('ann@acme.example', id);
    await log.getByRole('link', { name: 'Help' }).waitFor();
    expect(await log.locator('strong').allTextContents()).toEqual(['Profile']);
    await log.getByText('It is **not** here').waitFor();
    await page.locator('a[aria-current] > span').getByText('Team: Open Profile, see Help').waitFor();
    await page.close();
  });

  it('begins right-to-left text at the right: of messages, notes, answers, the list and the reply', async () => {
    const id = await stack.conversation('Nur', 'أين طلبي؟');
    await stack.say(id, 'سيصل **غدا**.\n\n> سيصل\n\n- غدا', 'agent');
    await asAi(id);
    await api.org.post(`/chat/sessions/${id}/notes`, { text: 'ملاحظة' });
    const { page, log, reply } = await stack.open('ann@acme.example', id);
    await stack.say(id, 'شكرا');
    await reply.fill('أهلا');
    await page.getByRole('list', { name: 'Conversations' }).getByText('شكرا').waitFor();
    await log.getByText('شكرا').waitFor();
    expect(await page.evaluate(DIRECTIONS)).toEqual(Array.from({ length: 8 }, () => 'rtl'));
    await page.close();
  });

  it.each(WIDTHS)('shows pictures small and other files as links, at %d px', async (width) => {
    const id = await stack.conversation('Pia', 'Hello');
    const attachments = [
      { name: 'tall.png', base64: greyPng(1_600, 900).toString('base64') },
      { name: 'notes.txt', base64: Buffer.from('Order 7').toString('base64') },
    ];
    const message = { type: 'text', text: 'See', attachments };
    const { status } = await api.org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message });
    expect(status).toBe(201);
    const { page, log, complaints } = await stack.open('ann@acme.example', id, { width });
    const picture = log.getByRole('link', { name: 'tall.png' }).locator('img');
    await untilPasses(async () => expect((await picture.boundingBox())?.height).toBeGreaterThan(100));
    expect((await picture.boundingBox())?.height).toBeLessThanOrEqual(240);
    await log.getByRole('link', { name: 'notes.txt' }).waitFor();
    expect(await log.locator('img').count()).toBe(1);
    expect([await overflowOf(page), complaints]).toEqual([0, []]);
    await page.close();
  });

  it('says of an e-mail of unknown outcome what to do, and keeps what an admin found out', async () => {
    const { body: contact } = await api.org.post('/contacts', {
      contact: { name: 'Jo', email: 'jo@customer.example' },
    });
    const recipients = [{ to_email: 'jo@customer.example', email_subject: 'Hi', email_body: 'Hi' }];
    await api.org.post('/email', { from_email: 'hello@acme.example', recipients });
    const { body } = await api.org.post('/chat/sessions', { contact_id: contact.id, channel: { type: 'email' } });
    await stack.say(body.id, 'It is on its way.', 'agent');
    await api.db.updateTable('deliveries').set({ status: 'unknown' }).where('contact_id', '=', contact.id).execute();
    const { page, log, button } = await stack.open('root@acme.example', body.id, { role: 'admin' });
    await log.getByText('It is unknown whether this was sent').waitFor();
    await button('It was not').click();
    await log.getByText('Not sent: failed').waitFor();
    await page.close();
  });

  it('stays small with a thousand messages, reads earlier ones without a jump, and keeps its place', async () => {
    const id = await stack.conversation('Kim', 'Message 0');
    await addMessages(id, 1_200);
    const { page, log, button } = await stack.open('ann@acme.example', id);
    await log.getByText('Message 1200', { exact: true }).waitFor();
    const topText = () => page.evaluate<{ text: string; y: number }>(FIRST_BELOW_TOP);
    const settle = () =>
      page.evaluate(
        'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))',
      );
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route(/history.*cursor/, (route) => isReleased.then(() => route.continue()));
    await page.evaluate('document.querySelector("[role=log]").scrollTo({ top: 300 })');
    await page.getByText('Loading earlier messages').waitFor();
    await settle();
    const before = await topText();
    release();
    await page.getByText('Loading earlier messages').waitFor({ state: 'detached' });
    await settle();
    const after = await topText();
    expect([after.text, Math.abs(after.y - before.y)]).toEqual([before.text, expect.closeTo(0, -1)]);
    await stack.say(id, 'Are you there?');
    await button('1 new message').waitFor();
    expect((await topText()).text).toBe(before.text);
    await button('1 new message').click();
    await log.getByText('Are you there?').waitFor();
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500);
    await page.close();
  });

  /** Makes the AI the sender of what an agent said. */
  const asAi = (sessionId: string) =>
    api.db
      .updateTable('session_events')
      .set({ sender: 'ai' })
      .where('session_id', '=', sessionId)
      .where('sender', '=', 'human_agent')
      .execute();

  /** Adds messages of the contact to a session, as the database has them. */
  const addMessages = async (sessionId: string, count: number) => {
    await sql`
      insert into session_events (org_id, session_id, seq, id, type, sender, content, created_at)
      select event.org_id, event.session_id, event.seq + n, gen_random_uuid(), 'message', 'contact', 'Message ' || n, now()
      from session_events as event, generate_series(1, ${count}::integer) as n
      where event.session_id = ${sessionId} and event.type = 'message'
    `.execute(api.db);
    await sql`
      update sessions set last_seq = (select max(seq) from session_events where session_id = ${sessionId})
      where id = ${sessionId}
    `.execute(api.db);
  };
});
