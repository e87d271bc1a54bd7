import { sql } from 'kysely';
import type { Page, Request } from 'playwright-core';
import { newId } from '../../../src/ids.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { CHROMIUM, startBrowser } from '../../support/chromium.ts';
import { buildConsole, createPages } from '../../support/console-pages.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';

/** What somebody writes into a form, and what others and the network do meanwhile. */
(CHROMIUM ? describe : describe.skip)('a form of the console', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  let page: Page;
  beforeAll(async () => {
    await buildConsole();
    [api, browser] = await Promise.all([startApi({ env: FAKES_ALLOWED }), startBrowser()]);
    pages = createPages(api, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });
  afterEach(() => page.close());

  const open = async (path: string) => {
    ({ page } = await pages.open('ann@acme.example', path, { role: 'admin' }));
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const field = (name: RegExp) => page.getByRole('textbox', { name });
  const formWith = (name: string) => page.getByRole('region', { name });
  const settings = async () => (await api.org.get('/org/settings')).body;
  const crm = async () => (await api.org.get('/integrations/crm')).body.settings;
  /** Returns the bodies that are sent to a path from now on. */
  const bodiesTo = (method: string, path: RegExp): unknown[] => {
    const bodies: unknown[] = [];
    page.on('request', (request: Request) => {
      if (request.method() === method && path.test(new URL(request.url()).pathname))
        bodies.push(request.postDataJSON());
    });
    return bodies;
  };

  it('leaves what is not set in a connection as it is, keeps what others stored, and changes from a token to OAuth', async () => {
    const put = (more: object) =>
      api.org.put('/integrations/crm', { provider: 'hubspot', settings: { access_token: 'a-token', ...more } });
    await put({});
    await open('/settings/integrations/crm');
    expect(await page.getByRole('checkbox', { name: 'Creates tickets' }).isChecked()).toBe(true);
    await put({ pipeline_id: 'p1', signatures: [{ domain: '*', html: '<p>Acme</p>' }] });
    await field(/^Owner of new tickets/).fill('77');
    await button('Save and test').click();
    await eventually('the owner', async () => (await crm()).owner_id === '77');
    expect(await crm()).toEqual({
      access_token: '***',
      owner_id: '77',
      pipeline_id: 'p1',
      signatures: [{ domain: '*', html: '<p>Acme</p>' }],
    });

    await button('Remove it: Access token').click();
    await button('Keep it: Access token').click();
    await button('Remove it: Access token').click();
    await field(/^OAuth: client id/).fill('client');
    await field(/^OAuth: client secret/).fill('a secret');
    await field(/^OAuth: refresh token/).fill('another one');
    await button('Save and test').click();
    await eventually('OAuth', async () => (await crm()).oauth?.client_id === 'client');
    expect(await crm()).not.toHaveProperty('access_token');
    await page.getByRole('checkbox', { name: 'Creates tickets' }).uncheck();
    await button('Save and test').click();
    await eventually('no tickets', async () => (await crm()).ticketing_enabled === false);
    expect(await crm()).toMatchObject({ oauth: { client_secret: '***', refresh_token: '***' }, owner_id: '77' });
  });

  it('does not undo what somebody else has changed since it was opened', async () => {
    await open('/settings/organization');
    const time = formWith('Time and messages');
    await time.getByRole('spinbutton').fill('3');
    await api.org.patch('/org/settings', { country: 'DE', quiet_hours: { start: '21:00', end: '08:00' } });
    await time.getByRole('button', { name: 'Save' }).click();
    await eventually('the cap', async () => (await settings()).daily_cap === 3);
    expect(await settings()).toMatchObject({ country: 'DE', quiet_hours: { start: '21:00', end: '08:00' } });
    await time.getByRole('textbox', { name: /^Quiet until/ }).fill('07:00');
    await time.getByRole('button', { name: 'Save' }).click();
    await eventually('the hours', async () => (await settings()).quiet_hours.end === '07:00');

    const { body: team } = await api.org.post('/teams', { name: 'Support', is_support_enabled: true });
    const { body: hours } = await api.org.post('/office-hours', {
      name: 'Weekdays',
      iana_timezone: 'Europe/Berlin',
      shifts: [{ day_of_week: 'monday', start_time: '09:00:00', end_time: '17:00:00' }],
    });
    await page.goto(`${api.url}/console/settings/teams`);
    await button('Change Support').click();
    await field(/^Name/).fill('Service');
    const whole = { is_support_enabled: true, support_assignment_strategy: 'round-robin' };
    await api.org.put(`/teams/${team.id}`, { name: 'Support', description: 'For all', ...whole });
    await button('Save').click();
    await eventually('the name', async () => (await api.org.get(`/teams/${team.id}`)).body.name === 'Service');
    expect((await api.org.get(`/teams/${team.id}`)).body).toMatchObject({ description: 'For all', ...whole });

    await page.goto(`${api.url}/console/settings/office-hours`);
    await button(/^Change/).click();
    await field(/^Name/).fill('The week');
    const now = (await api.org.get(`/office-hours/${hours.id}`)).body;
    const later = { ...now.shifts[0], end_time: '18:00:00' };
    await api.org.put(`/office-hours/${hours.id}`, { name: 'Weekdays', iana_timezone: 'UTC', shifts: [later] });
    await button('Save').click();
    const stored = async () => (await api.org.get(`/office-hours/${hours.id}`)).body;
    await eventually('the other name', async () => (await stored()).name === 'The week');
    expect(await stored()).toMatchObject({ iana_timezone: 'UTC', shifts: [{ end_time: '18:00:00' }] });
  });

  it('says where assistants ask for a confirmation', async () => {
    await open('/settings/organization');
    const programs = formWith('For programs');
    await programs.getByRole('combobox', { name: /by MCP/ }).selectOption('dashboard');
    await programs.getByRole('button', { name: 'Save' }).click();
    await eventually('the setting', async () => (await settings()).mcp_confirm === 'dashboard');
    await programs.getByRole('combobox', { name: /by MCP/ }).selectOption('');
    await programs.getByRole('button', { name: 'Save' }).click();
    await eventually('no setting', async () => (await settings()).mcp_confirm === null);
  });

  it('keeps what is not saved while what is stored cannot be read', async () => {
    await open('/settings/organization');
    const topics = formWith('What the AI leaves to people').getByRole('textbox', { name: /^Topics/ });
    await topics.fill('Politics');
    await page.route('**/org/settings', (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ status: 400, json: { message: 'Not now' } })
        : route.continue(),
    );
    const time = formWith('Time and messages');
    await time.getByRole('spinbutton').fill('4');
    await time.getByRole('button', { name: 'Save' }).click();
    const failure = page.getByRole('alert').filter({ hasText: 'Not now' });
    await failure.waitFor();
    expect(await topics.inputValue()).toBe('Politics');
    await page.unroute('**/org/settings');
    await failure.getByRole('button', { name: 'Try again' }).click();
    await failure.waitFor({ state: 'detached' });
    expect(await topics.inputValue()).toBe('Politics');
  });

  it('does not take events of a later version from a webhook', async () => {
    const { body: endpoint } = await api.org.post('/webhooks', {
      url: 'http://127.0.0.1:9/hooks', // nobody answers there
      event_types: ['contact.created'],
    });
    await open('/settings');
    await page.route(`**/webhooks/${endpoint.id}`, async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const answer = await route.fetch();
      return route.fulfill({ json: { ...(await answer.json()), event_types: ['parcel.lost'] } });
    });
    const bodies = bodiesTo('PATCH', /^\/webhooks\//);
    await page.goto(`${api.url}/console/settings/webhooks/${endpoint.id}?open=settings`);
    await field(/^What it is for/).fill('The shop');
    await button('Save').click();
    await eventually('the change', () => bodies.length === 1);
    expect(bodies[0]).toEqual({ description: 'The shop' });
    expect(await page.getByRole('checkbox', { name: 'parcel.lost' }).isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: 'contact.created' }).check();
    await button('Save').click();
    await eventually('the other change', () => bodies.length === 2);
    expect(bodies[1]).toEqual({ event_types: ['parcel.lost', 'contact.created'] });
  });

  it('in a dialog asks before Escape, its button or a click beside it lose what was typed', async () => {
    await open('/settings/api-keys');
    await button('New key').click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    const question = page.getByRole('dialog', { name: 'Close without saving?' });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await button('New key').click();
    const name = dialog.getByRole('textbox');
    await name.fill('Shop import');
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Close', exact: true }).click(),
      () => page.mouse.click(5, 5),
      () => page.keyboard.press('Escape'),
    ]) {
      await close();
      await question.waitFor();
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await name.inputValue()).toBe('Shop import');
    }
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Close it' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('in a dialog stays while a text is selected by a drag that ends beside it', async () => {
    await open('/settings/api-keys');
    await button('New key').click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    const box = await dialog.getByRole('textbox').boundingBox();
    if (box === null) throw new Error('The field is not shown');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, box.y, { steps: 4 });
    await page.mouse.up();
    expect(await dialog.isVisible()).toBe(true);
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: 'detached' });
  });

  it('changes a role by keys once it is chosen, not with each that is passed', async () => {
    await pages.open('ben@acme.example', '/inbox').then((opened) => opened.page.close());
    await open('/settings/members');
    const bodies = bodiesTo('PATCH', /^\/members\//);
    const role = page.getByRole('combobox', { name: 'Role of ben' });
    await role.focus();
    await page.keyboard.press('ArrowUp');
    expect(await role.inputValue()).toBe('admin');
    await page.keyboard.press('Escape');
    expect(await role.inputValue()).toBe('agent');
    await page.keyboard.press('ArrowDown');
    await page.waitForTimeout(300);
    expect(bodies).toEqual([]);
    await page.keyboard.press('Tab');
    await eventually('the role', async () => (await pages.memberNamed('ben@acme.example')).role === 'viewer');
    expect(bodies).toEqual([{ role: 'viewer' }]);
  });

  it('keeps the name of an insight that is being typed when the insight changes', async () => {
    const id = newId();
    await sql`insert into insights (org_id, id, root_id, number, content, named_by, name_sources)
      values (${api.org.id}, ${id}, ${id}, 1, 'Parcels come late', 'quote', array[${newId()}::uuid])`.execute(api.db);
    await open(`/insights/${id}`);
    const name = field(/^Name/);
    await name.fill('Parcels of Friday come late');
    await page.getByRole('combobox', { name: 'Category' }).waitFor();
    await button('Resolve').click();
    await button('Reopen').waitFor();
    expect(await name.inputValue()).toBe('Parcels of Friday come late');
    await button('Rename').click();
    await eventually('the name', async () => (await api.org.get(`/insights/${id}`)).body.content.includes('Friday'));
  });
});
