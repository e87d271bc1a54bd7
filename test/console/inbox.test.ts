import type { Page } from 'playwright-core';
import { signIn } from '../sign-in/signing-in.ts';
import { CHROMIUM, overflowOf, startBrowser, WIDTHS } from '../support/chromium.ts';
import { buildConsole, createPages, violationsIn } from '../support/console-pages.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

const SHOTS = process.env.SHOTS;

(CHROMIUM ? describe : describe.skip)('the inbox of the console', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    api = await startApi();
    browser = await startBrowser();
    pages = createPages(api, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const rows = (page: Page) => page.getByRole('list', { name: 'Conversations' }).getByRole('link');
  const row = (page: Page, name: string) => rows(page).filter({ hasText: name });
  const orderOf = async (page: Page) => {
    const found = await page.getByRole('list', { name: 'Conversations' }).getByRole('listitem').all();
    const placed = await Promise.all(
      found.map(async (item) => ({
        top: (await item.boundingBox())?.y ?? 0,
        name: await item.getByRole('link').locator('span').first().locator('span').first().textContent(),
      })),
    );
    return placed.toSorted((one, other) => one.top - other.top).map(({ name }) => name);
  };
  const until = (page: Page, condition: string) => eventually(condition, () => page.evaluate<boolean>(condition));

  it('asks for a sign-in, and leads back to the list that was asked for', async () => {
    const { page } = await browser.open(`${api.url}/console/inbox?view=closed&channel=email`);
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('kim@acme.example');
    await page.getByRole('button', { name: 'Send me a login link' }).click();
    await page.getByRole('alert').getByText('This server sends no mail').waitFor();
    await page.goto(await pages.linkFor('kim@acme.example'));
    await page.waitForURL(`${api.url}/console/inbox?view=closed&channel=email`);
    await page.getByRole('button', { name: 'Remove the filter Channel: E-mail' }).click();
    await page.waitForURL(`${api.url}/console/inbox?view=closed`);
    await page.close();
  });

  it('has rows come, move and go by events, and counts them', async () => {
    const ada = await pages.conversation('Ada');
    const ben = await pages.conversation('Ben');
    const { page, complaints } = await pages.open('ann@acme.example', '/inbox?view=all');
    await row(page, 'Ben').waitFor();
    expect((await orderOf(page)).slice(0, 2)).toEqual(['Ben', 'Ada']);
    let lists = 0;
    page.on('request', (request) => {
      if (request.url().includes('/inbox?')) lists += 1;
    });
    await pages.say(ada, 'Are you there?');
    await row(page, 'Are you there?').waitFor();
    lists = 0;
    expect((await orderOf(page)).slice(0, 2)).toEqual(['Ada', 'Ben']);
    await pages.conversation('Cleo');
    await row(page, 'Cleo').waitFor();
    const member = await pages.memberNamed('ann@acme.example');
    await api.org.post(`/chat/sessions/${ben}/assign`, { assignee_id: member.id });
    await row(page, 'Ben').getByText('You').waitFor();
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: /^Mine.*1$/ })
      .waitFor();
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();
    await api.org.patch(`/chat/sessions/${ben}`, { status: 'closed_resolved' });
    await row(page, 'Ben').waitFor({ state: 'detached' });
    expect(lists).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows an answer at once in the row of a conversation that leaves its view by it', async () => {
    const [first] = [await pages.conversation('Wanda'), await pages.conversation('Xaver')];
    const { page } = await pages.open('ann@acme.example', '/inbox?view=waiting');
    await row(page, 'Wanda').click();
    await page.waitForURL(`${api.url}/console/s/${first}?view=waiting`);
    const before = await orderOf(page);
    await page.getByRole('textbox', { name: 'Reply' }).fill('It left today.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await row(page, 'Wanda').getByText('Team: It left today.').waitFor();
    await row(page, 'Wanda').getByText('You').waitFor();
    await row(page, 'Wanda').getByTitle('since the last message').waitFor();
    expect(await orderOf(page)).toEqual(before);
    await row(page, 'Xaver').click();
    await row(page, 'Wanda').waitFor({ state: 'detached' });
    await page.close();
  });

  it('keeps what is read in its place while rows come above', async () => {
    await Promise.all(Array.from({ length: 14 }, (_, n) => pages.conversation(`Number ${n}`)));
    const { page } = await pages.open('ann@acme.example', '/inbox?view=all');
    await rows(page).nth(13).waitFor();
    const read = (await orderOf(page))[7] ?? '';
    await page.evaluate(`document.querySelector('[aria-label=Conversations]').parentElement.scrollTop = 500`);
    const placeOf = async () => (await row(page, read).first().boundingBox())?.y;
    const before = await placeOf();
    await pages.conversation('Late');
    await until(page, `document.querySelector('[aria-label=Conversations]').parentElement.scrollTop > 570`);
    expect([typeof before, await placeOf()]).toEqual(['number', before]);
    await page.close();
  });

  it('filters in the address, and keeps filters as a view', async () => {
    const { body: team } = await api.org.post('/teams', { name: 'Parcels' });
    const { page } = await pages.open('ann@acme.example', '/inbox?view=all');
    const ann = await pages.memberNamed('ann@acme.example');
    await api.org.post(`/teams/${team.id}/users`, { userId: ann.id });
    const shownIn = (name: string) =>
      page.getByRole('combobox', { name, exact: true }).locator('option:checked').textContent();
    await page.keyboard.press('f');
    await page.getByText('What you choose can be saved as a view.', { exact: true }).waitFor();
    expect(await shownIn('Assignee')).toBe('All');
    await page.getByRole('combobox', { name: 'Order' }).selectOption('waiting');
    await page.waitForURL(/order=waiting/);
    await page.getByRole('combobox', { name: 'Assignee' }).selectOption('none');
    await page.waitForURL(/assignee=none/);
    await page.getByRole('button', { name: 'Save as a view' }).click();
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Nobody’s');
    await page.getByRole('combobox', { name: 'Who sees it' }).selectOption('org');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: /Nobody’s/ })
      .waitFor();
    await page.waitForURL(/view=[0-9a-f-]{36}$/);
    const { items } = (await api.org.get('/views')).body;
    expect(items.at(-1)).toMatchObject({
      query: { status: 'open', assignee: 'none', order: 'waiting' },
      shared: 'org',
    });
    expect(new URL(page.url()).search).toBe(`?view=${items.at(-1).id}`);
    await page.getByText('This view is shared with everybody.').waitFor();
    expect([await shownIn('Assignee'), await shownIn('Order'), await shownIn('Tag')]).toEqual([
      'Nobody (in this view)',
      'Longest waiting first (in this view)',
      'All',
    ]);
    const change = async (item: string) => {
      await page.getByRole('button', { name: 'Change the view' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await change('Rename or share…');
    await page.getByRole('textbox', { name: 'Name' }).fill('Nobody’s yet');
    await page.getByRole('combobox', { name: 'Who sees it' }).selectOption({ label: 'Team Parcels' });
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('navigation', { name: 'Views' }).getByText('Nobody’s yet').waitFor();
    await page.getByText('This view is shared with the team Parcels.').waitFor();
    expect((await api.org.get('/views')).body.items.at(-1)).toMatchObject({ name: 'Nobody’s yet', team_id: team.id });
    await change('Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(/view=mine$/);
    expect((await api.org.get('/views')).body.items.at(-1).is_built_in).toBe(true);
    await page.close();
  });

  it('says what is missed, who is there, and who else looks at it', async () => {
    const id = await pages.conversation('Dora');
    await api.db
      .updateTable('sessions')
      .set({ sla_metric: 'next_reply', sla_due_at: new Date(), sla_warning_at: new Date(0) })
      .where('id', '=', id)
      .execute();
    const { page } = await pages.open('ann@acme.example', '/inbox?view=breaching');
    await row(page, 'Dora').getByText('breached').waitFor();
    const other = await pages.open('ben@acme.example', '/inbox');
    await other.page.evaluate(
      `fetch('/chat/sessions/${id}/presence', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"state":"typing"}' })`,
    );
    await row(page, 'Dora')
      .getByRole('img', { name: /ben.* is writing/i })
      .waitFor();
    await other.page.close();
    await page.close();
  });

  it('lists news, opens it, and has it read', async () => {
    const id = await pages.conversation('Emi');
    const other = await signIn(api, 'agent');
    const { page } = await pages.open('eve@acme.example', '/inbox');
    const member = await pages.memberNamed('eve@acme.example');
    await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: member.id });
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    await page.getByRole('dialog', { name: 'Notifications' }).getByRole('link', { name: /Emi/ }).click();
    await page.waitForURL(`${api.url}/console/s/${id}`);
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await other.post(`/chat/sessions/${id}/notes`, { text: 'Look', mentions: [member.id] });
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    await page.getByRole('link', { name: /^The agent mentioned you in a note with Emi/ }).waitFor();
    await page.close();
  });

  it('names a customer without a name by the number that it writes from', async () => {
    const { body: contact } = await api.org.post('/contacts', { contact: { phone: '+442079460958' } });
    const session = { contact_id: contact.id, channel: { type: 'sms' } };
    const { id } = (await api.org.post('/chat/sessions', session)).body;
    const member = await signIn(api, 'agent');
    await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: member.id });
    expect((await member.get('/me/notifications')).body.items).toMatchObject([{ contact_name: '+442079460958' }]);
    const { page } = await pages.open('ann@acme.example', `/s/${id}?view=all`);
    await row(page, '+442079460958').waitFor();
    await page
      .getByRole('heading', { name: /^\+442079460958/ })
      .first()
      .waitFor();
    await page.close();
  });

  it('searches by Enter or by the button that words bring up', async () => {
    await pages.conversation('Gil', 'My parcel is a giraffe');
    const { page } = await pages.open('ann@acme.example', '/inbox?view=all');
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('giraffe');
    await page.getByRole('search').getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/q=giraffe/);
    await row(page, 'Gil').waitFor();
    expect(await page.getByRole('search').getByRole('button').count()).toBe(0);
    await page.close();
  });

  it('is used by the keyboard: the list, the palette and the help', async () => {
    await pages.conversation('Fay');
    const id = await pages.conversation('Farid');
    const { ticket_number } = (await api.org.get(`/chat/sessions/${id}`)).body;
    const { page } = await pages.open('ann@acme.example', '/inbox?view=all');
    await row(page, 'Farid').waitFor();
    await page.keyboard.press('j');
    await page.waitForURL(`${api.url}/console/s/${id}?view=all`);
    await row(page, 'Farid').and(page.locator('[aria-current=page]')).waitFor();
    const colorOf = (link: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('[aria-label=Conversations] ${link}')).backgroundColor`);
    expect(await colorOf('a[aria-current]')).not.toBe(await colorOf('a:not([aria-current])'));
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+J');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox', { name: 'Search conversations' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(`${api.url}/console/inbox?view=all`);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Select all of the view').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to, search or do' }).fill(`#${ticket_number}`);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${api.url}/console/s/${id}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to, search or do' }).fill('close as res');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Closed').waitFor();
    expect((await api.org.get(`/chat/sessions/${id}`)).body.status).toBe('closed_resolved');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to, search or do' }).fill('dark');
    await page.keyboard.press('Enter');
    await until(page, `document.documentElement.style.colorScheme === 'dark'`);
    await page.close();
  });

  it('changes to another org of the account', async () => {
    await browser.open(await pages.linkFor('multi@acme.example', api.other.id)).then(({ page }) => page.close());
    const { page } = await pages.open('multi@acme.example', '/inbox');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('button', { name: /^Other org/ }).click();
    await page.getByRole('button', { name: /^Account of .*Other org$/ }).waitFor();
    await page.close();
  });

  it('says that the server is away, and tries again', async () => {
    const { page } = await pages.open('off@acme.example', '/inbox?view=closed');
    await page.route('**/inbox?**', (route) => route.abort());
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: /^Snoozed/ })
      .click();
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    await page.unroute('**/inbox?**');
    // A slow click finds the list already read again by itself.
    const shown = page.getByText('Nothing sleeps');
    await Promise.any([page.getByRole('button', { name: 'Try again' }).click(), shown.waitFor()]);
    await shown.waitFor();
    await page.context().setOffline(true);
    await page.getByRole('status').getByText('You are offline').waitFor();
    await page.close();
  });

  it('gives a stream up that says nothing for longer than a server is silent, as after a sleep', async () => {
    const { page } = await pages.open('eve@acme.example', '/inbox');
    await page.clock.install();
    let asked = 0;
    await page.route('**/events?**', () => void asked++); // answers never
    await page.reload();
    await eventually('a stream', () => asked === 1);
    await page.clock.fastForward(60_000);
    await eventually('another stream', () => asked === 2);
    await page.close();
  });

  it('shows viewers nothing that they may not do', async () => {
    await pages.conversation('Greta');
    const { page, complaints } = await pages.open('vic@acme.example', '/inbox?view=all');
    await row(page, 'Greta').waitFor();
    expect(await page.getByRole('checkbox').count()).toBeGreaterThan(0);
    const member = await pages.memberNamed('vic@acme.example');
    await api.org.patch(`/members/${member.id}`, { role: 'viewer' });
    await page.goto(`${api.url}/console/inbox?view=all&assignee=none`);
    await row(page, 'Greta').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Save as a view' }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each(WIDTHS)('has no fault that axe finds in lists and dialogs at %d px, in either theme', async (width) => {
    const { page } = await pages.open('dee@acme.example', '/inbox?view=all&sla=breached', { width });
    await rows(page).first().waitFor();
    const check = async (name: string) => {
      for (const [colorScheme, rules] of [['light'], ['dark', ['color-contrast']]] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // colours change at once
        const violations = await violationsIn(page, rules && [...rules]);
        expect([name, colorScheme, violations]).toEqual([name, colorScheme, []]);
        if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png` });
      }
    };
    await page.keyboard.press('f');
    await page.getByRole('group', { name: 'Filters' }).waitFor();
    await check('filters');
    await page.keyboard.press('f');
    for (const [key, name] of [
      ['?', 'Keyboard'],
      ['Control+k', 'Go to, search or do'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('dialog', { name }).waitFor();
      await check(name.slice(0, 8));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name }).waitFor({ state: 'hidden' });
    }
    for (const name of [/^Notifications/, /^Account/]) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog', { name }).getByRole('heading').first().waitFor();
      await check(String(name).slice(2, -1));
      await page.keyboard.press('Escape');
    }
    await page.keyboard.press('Control+a');
    await page.getByText('All of the view').waitFor();
    await check('selection');
    expect(await overflowOf(page)).toBe(0);
    await page.close();
  });
});
