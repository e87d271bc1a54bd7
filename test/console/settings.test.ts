import type { Page } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { PNG } from '../media/samples.ts';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { buildConsole, createPages, violationsIn } from '../support/console-pages.ts';
import { startMailSink } from '../support/fakes/mail-sink.ts';
import { startWebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { deliveriesOf } from '../webhooks/endpoints.ts';

const IS_LONG = process.env.TEST_TIER === 'long';

(CHROMIUM && IS_LONG ? describe : describe.skip)('the settings in the console', () => {
  let stack: Stack;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    [stack, browser] = await Promise.all([startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } }), startBrowser()]);
    pages = createPages(stack, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  const admin = (path: string, options = {}) => pages.open('ann@acme.example', path, { role: 'admin', ...options });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const lateBy = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const main = (page: Page) => page.getByRole('main');

  it('connects a mail server whose test fails and passes once it is corrected, and never shows its password', async () => {
    const server = await startMailSink();
    const { hostname, port } = new URL(server.url);
    const { page, complaints } = await admin('/settings');
    await main(page)
      .getByRole('link', { name: /^Integrations/ })
      .click();
    await page.getByRole('link', { name: 'Mail server' }).click();
    await page.getByRole('textbox', { name: 'Server' }).fill(hostname);
    await page.getByRole('spinbutton', { name: /^Port/ }).fill('9');
    await button(page, 'Connect and test').click();
    await page.getByText(/^The test failed: /).waitFor();
    await page.getByText('Failing', { exact: true }).waitFor();
    await page.getByText('It is saved and in use. The last call failed: while it fails, no e-mail goes out.').waitFor();
    await page.getByRole('link', { name: 'Queued messages' }).click();
    await page.getByRole('button', { name: 'Remove the filter Status: Queued' }).waitFor();
    await page.goBack();
    await page
      .getByRole('heading', { level: 1 })
      .getByRole('link', { name: /^Integrations/ })
      .click();
    const line = page
      .getByRole('list', { name: 'Integrations' })
      .getByText('The last call failed: while it fails, no e-mail goes out.');
    await line.waitFor();
    expect(await line.count()).toBe(1);
    await page.getByRole('link', { name: 'Mail server' }).click();
    await button(page, 'Test').click();
    await page.getByText(/^The test failed: /).waitFor();
    const why = main(page).getByText(`${hostname}:9 could not be reached: nothing answers there (ECONNREFUSED)`);
    expect(await why.count()).toBe(1);
    const result = main(page)
      .getByRole('status')
      .getByText(/^Tested at /);
    const first = await result.textContent();
    await page.waitForTimeout(1_000); // the time is said to the second
    await button(page, 'Test').click();
    await eventually(
      'another test',
      async () => (await result.count()) === 1 && (await result.textContent()) !== first,
    );

    await page.getByRole('spinbutton', { name: /^Port/ }).fill(port);
    expect(await button(page, 'Test').getAttribute('aria-disabled')).toBe('true');
    expect(await button(page, 'Test').getAttribute('title')).toBe('Save first: it tests what is saved');
    await button(page, 'Save and test').click();
    await page.getByText(/^The test passed: /).waitFor();
    await page.getByText('Works', { exact: true }).waitFor();
    await page.getByText('without a sign-in').waitFor();
    await page.getByText('The last call failed').waitFor({ state: 'detached' });
    expect(await button(page, 'Test').getAttribute('aria-disabled')).toBeNull();

    const stored = async () => (await stack.org.get('/integrations/email')).body.settings;
    const password = page.getByRole('textbox', { name: /^Password/ });
    await page.getByRole('textbox', { name: /^User name/ }).fill('ann');
    await password.fill('a long secret');
    await button(page, 'Save and test').click();
    await eventually('the stored password', async () => (await stored()).password === '***');
    await page.reload();
    await page.getByPlaceholder('Stored. Leave empty to keep it').waitFor();
    expect(await page.content()).not.toContain('a long secret');
    await page.getByRole('textbox', { name: /^User name/ }).fill('ben');
    await button(page, 'Save and test').click();
    await eventually('the other user', async () => (await stored()).username === 'ben');
    expect(await stored()).toMatchObject({ username: 'ben', password: '***', port: Number(port) });
    expect(complaints).toEqual([]);
    await page.close();
    await stack.org.delete('/integrations/email');
    await server.close();
  });

  it('makes a key with chosen rights that is shown once, rotates it and revokes it', async () => {
    const { page, complaints } = await admin('/settings/api-keys');
    const secret = page.locator('dialog [data-secret]');
    const isTaken = async (key: string) =>
      (await fetch(`${stack.url}/contacts`, { headers: { authorization: `Bearer ${key}` } })).status;
    await button(page, 'New key').click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    await dialog.getByRole('textbox').fill('Shop');
    expect(await button(page, 'Create the key').isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'Read Contacts' }).check();
    await button(page, 'Create the key').click();
    await secret.waitFor();
    const first = (await secret.textContent()) ?? '';
    await button(page, 'I have copied it').click();
    expect(await page.content()).not.toContain(first);
    expect(await isTaken(first)).toBe(200);
    const { body } = await stack.org.get('/org/api-keys');
    expect(body.items.find(({ name }: { name: string }) => name === 'Shop').scopes).toEqual(['contacts:read']);

    await button(page, 'Rotate Shop').click();
    await button(page, 'Create the second key').click();
    await secret.waitFor();
    const second = (await secret.textContent()) ?? '';
    expect([await isTaken(first), await isTaken(second)]).toEqual([200, 200]);
    await button(page, 'Revoke the old key now').click();
    await eventually('the end of the old key', async () => (await isTaken(first)) === 401);
    expect(await isTaken(second)).toBe(200);
    await page.getByRole('dialog').waitFor({ state: 'detached' }); // the list is read again by then

    await button(page, 'Revoke Shop').click();
    await button(page, 'Revoke the key').click();
    await eventually('the end of the new key', async () => (await isTaken(second)) === 401);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows why a webhook failed, resends it, and recovers what was held meanwhile', async () => {
    const receiver = await startWebhookReceiver();
    const { page, complaints } = await admin('/settings/webhooks');
    await button(page, 'Add an endpoint').click();
    await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
    await page.getByRole('checkbox', { name: 'contact.created' }).check();
    await button(page, 'Add').click();
    const secret = page.locator('dialog [data-secret]');
    await secret.waitFor();
    receiver.secrets.push((await secret.textContent()) ?? '');
    await button(page, 'I have copied it').click();
    await page.waitForURL(/\/settings\/webhooks\/[\w-]{36}/);
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';

    receiver.answer = (_, response) => void response.writeHead(500).end('the shop is closed');
    await stack.org.post('/contacts', { contact: { email: 'one@customer.example' } });
    await deliveriesOf(stack.org, id, { retrying: 1 });
    await page.reload();
    await page.getByText('Retrying', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Show contact\.created/ }).click();
    const dialog = page.getByRole('dialog', { name: 'contact.created' });
    await dialog.getByText('Answer 500').first().waitFor();
    await dialog.getByText('the shop is closed').first().waitFor();
    await dialog.getByText('one@customer.example').waitFor();
    receiver.answer = (_, response) => void response.writeHead(200).end('ok');
    await button(page, 'Send it again').click();
    await dialog.getByText('Delivered', { exact: true }).waitFor();
    await page.keyboard.press('Escape');

    await button(page, 'Disable').click();
    await page.getByText('It was switched off by hand.').waitFor();
    for (const name of ['two', 'three']) await stack.org.post('/contacts', { contact: { email: `${name}@a.example` } });
    await deliveriesOf(stack.org, id, { held: 2 });
    await button(page, 'Enable').click();
    await page.getByText('Healthy', { exact: true }).waitFor();
    await button(page, 'Recover').click();
    await button(page, 'Count').click();
    await page.getByText(/^2 held and 0 failed/).waitFor();
    await button(page, 'Send 2 again').click();
    await page.getByText('All 2 that were open in this period were delivered.').waitFor();
    await deliveriesOf(stack.org, id, { delivered: 3 });
    expect(complaints).toEqual([]);
    await page.close();
    await receiver.close();
  });

  it('shows how far a recovery of many deliveries is, also after a reload, and which of them failed, until none is open', async () => {
    const receiver = await startWebhookReceiver();
    const { body: endpoint } = await stack.org.post('/webhooks', {
      url: receiver.url,
      event_types: ['contact.created'],
    });
    receiver.secrets.push(endpoint.secret);
    const path = `/webhooks/${endpoint.id}`;
    await stack.org.patch(path, { enabled: false });
    const contacts = Array.from({ length: 150 }, (_, n) => ({ email: `missed${n}@a.example` }));
    await stack.org.post('/contacts/batch', { contacts });
    await eventually('what is held', async () => {
      const { body } = await stack.org.post(`${path}/recover`, { since: '2026-01-01T00:00:00Z', dry_run: true });
      return body.count === contacts.length;
    });
    await stack.org.patch(path, { enabled: true, max_per_second: 15 });
    receiver.answer = ({ raw }, response) =>
      void response.writeHead(/(missed[45]|fails)@/.test(raw) ? 500 : 200).end('ok');
    await stack.org.post('/contacts', { contact: { email: 'fails@a.example' } });
    await eventually('one that failed', async () => {
      const { body } = await stack.org.get(`${path}/deliveries?status=retrying`);
      return body.items.length === 1;
    });
    const { page, complaints } = await admin(`/settings/webhooks/${endpoint.id}`);
    await button(page, 'Recover').click();
    await button(page, 'Count').click();
    await button(page, 'Send 150 again').click();
    const bar = page.getByRole('region', { name: 'Recovery' });
    const valueNow = async () => Number(await bar.getByRole('progressbar').getAttribute('value'));
    const early = await eventually('a bar that moves', async () => (await valueNow()) || undefined);
    expect(early).toBeLessThan(100);
    await page.reload();
    await eventually('a bar that has moved on', async () => (await valueNow()) > early);
    const failing = '148 of 151 that were open in this period were delivered, 3 failed and are tried again.';
    await bar.getByText(failing).waitFor({ timeout: 30_000 });
    await bar.getByRole('link', { name: 'Those that failed' }).click();
    const log = page.getByRole('list', { name: 'Deliveries' });
    await eventually('all three', async () => (await log.getByRole('listitem').count()) === 3);
    receiver.answer = (_, response) => void response.writeHead(200).end('ok');
    const { body: failed } = await stack.org.get(`${path}/deliveries?status=retrying`);
    for (const { id } of failed.items) await stack.org.post(`${path}/deliveries/${id}/resend`, {});
    await bar.getByText('All 151 that were open in this period were delivered.').waitFor({ timeout: 30_000 });
    await button(page, 'Dismiss').click();
    await bar.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await page.close();
    await receiver.close();
  });

  it('counts apart what a recovery could not deliver in all of its tries', async () => {
    const { body: endpoint } = await stack.org.post('/webhooks', { url: 'http://127.0.0.1:9/hooks' });
    const delivery = {
      ...{ org_id: stack.org.id, id: newId(), endpoint_id: endpoint.id, event_id: newId(), status: 'failed' as const },
      ...{ event_type: 'contact.created', occurred_at: lateBy(90), created_at: lateBy(90), data: '{}' },
      ...{ session_id: null, sequence: null, next_attempt_at: null },
    };
    await stack.db.insertInto('webhook_deliveries').values(delivery).execute();
    const { page, complaints } = await admin('/settings');
    const recovery = JSON.stringify({ since: lateBy(100), until: lateBy(80), total: 5 });
    await page.evaluate(`localStorage.setItem('switchboard-recovery-${endpoint.id}', '${recovery}')`);
    await page.goto(`${stack.url}/console/settings/webhooks/${endpoint.id}`);
    const bar = page.getByRole('region', { name: 'Recovery' });
    await bar.getByText('4 of 5 that were open in this period were delivered, 1 failed for good.').waitFor();
    await bar.getByRole('link', { name: 'Those that failed' }).click();
    const log = page.getByRole('list', { name: 'Deliveries' });
    await eventually('that one', async () => (await log.getByRole('listitem').count()) === 1);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('invites a member, who gets a mail, signs in by it and loses the role and the membership', async () => {
    const { page, complaints } = await admin('/settings/members');
    await button(page, 'Invite').click();
    const dialog = page.getByRole('dialog', { name: 'Invite a member' });
    await dialog.getByRole('textbox', { name: 'E-mail address' }).fill('nina@acme.example');
    await dialog.getByRole('textbox', { name: /^Name/ }).fill('Nina');
    await dialog.getByRole('combobox').selectOption('viewer');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const mail = await eventually('the mail', () => stack.sink.to('nina@acme.example')[0]);
    expect(mail.subject).toContain('invited');
    const link = /http\S+token=\S+/.exec(mail.text ?? '')?.[0] ?? '';
    const guest = await browser.open(link);
    await guest.page.getByRole('button').click();
    await guest.page.getByRole('navigation', { name: 'Areas' }).waitFor();
    await guest.page.goto(`${stack.url}/console/settings/members`);
    await guest.page.getByText('nina@acme.example').waitFor();
    expect(await guest.page.getByRole('button', { name: /Remove|Invite/ }).count()).toBe(0);

    await page.getByRole('combobox', { name: 'Role of Nina' }).selectOption('agent');
    await eventually('the role', async () => (await pages.memberNamed('nina@acme.example')).role === 'agent');
    await button(page, 'Remove Nina').click();
    await button(page, 'Remove the member').click();
    await eventually('the removal', async () => (await pages.memberNamed('nina@acme.example')) === undefined);
    await page.getByText('nina@acme.example').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await guest.page.context().close();
    await page.close();
  });

  it('previews the settings of the widget as they are written, shows a refusal at its field, and guards what is not saved', async () => {
    const { page, complaints } = await admin('/settings/widget');
    const preview = page.getByRole('img', { name: 'How the widget looks on a page' });
    await page.getByRole('textbox', { name: /^First words/ }).fill('Hello from Acme');
    await page.getByRole('combobox', { name: /^Place/ }).selectOption('left');
    await page.getByRole('textbox', { name: /^Pages that may use it/ }).fill('no address');
    await preview.getByText('Hello from Acme').waitFor();
    await button(page, 'Save').click();
    const field = page.getByRole('textbox', { name: /^Pages that may use it/ });
    await eventually('the refusal', async () => (await field.getAttribute('aria-invalid')) === 'true');
    expect((await stack.org.get('/widget/settings')).body.appearance.greeting).toBeNull();

    await page.getByRole('link', { name: 'Teams', exact: true }).click();
    const guard = page.getByRole('dialog', { name: 'Leave without saving?' });
    await guard.getByRole('button', { name: 'Cancel' }).click();
    await field.fill('https://shop.example');
    await button(page, 'Save').click();
    await eventually('the settings', async () => {
      const { appearance, allowed_origins } = (await stack.org.get('/widget/settings')).body;
      return (
        appearance.greeting === 'Hello from Acme' && appearance.position === 'left' && allowed_origins?.length === 1
      );
    });
    const token = (await stack.org.get('/org')).body.widget_token;
    await page.getByText(`data-token="${token}"`).waitFor();
    await page.getByRole('link', { name: 'Teams', exact: true }).click();
    await page.waitForURL(/\/settings\/teams/);
    expect(complaints.filter((line) => !line.includes('400'))).toEqual([]);
    await page.close();
  });

  it('makes an action by its form, tests it, and changes it without what the form does not show', async () => {
    const shop = await startWebhookReceiver();
    const { page, complaints } = await admin('/settings/actions');
    await button(page, 'New action').click();
    const dialog = page.getByRole('dialog', { name: 'New action' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Cancel an order');
    await dialog.getByRole('combobox', { name: 'Method' }).selectOption('POST');
    await dialog.getByRole('textbox', { name: 'Address' }).fill(`${shop.url}/orders/{order}`);
    await button(page, 'Add a value').click();
    await dialog.getByRole('textbox', { name: 'Name of value 1' }).fill('order');
    await dialog.getByRole('combobox', { name: 'Place of value 1' }).selectOption('path');
    await button(page, 'Add a value').click();
    await dialog.getByRole('textbox', { name: 'Name of value 2' }).fill('reason');
    await dialog.getByRole('combobox', { name: 'Place of value 2' }).selectOption('body');
    await dialog.getByRole('combobox', { name: 'A person confirms it' }).selectOption('always');
    expect(await violationsIn(page)).toEqual([]);
    await button(page, 'Create the action').click();
    await dialog.waitFor({ state: 'detached' });
    const stored = async () =>
      (await stack.org.get('/actions')).body.find(({ name }: { name: string }) => name === 'Cancel an order');
    expect(await stored()).toMatchObject({
      confirm: 'always',
      payload: {
        method: 'post',
        parameters: [{ name: 'order', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] },
            },
          },
        },
      },
    });
    await button(page, 'Test Cancel an order').click();
    await page.getByRole('textbox', { name: 'order' }).fill('17');
    await page.getByRole('textbox', { name: 'reason' }).fill('Too late');
    await button(page, 'Call it').click();
    await page.getByRole('region', { name: 'The answer' }).waitFor();
    await page.keyboard.press('Escape');
    const { id } = await stored();
    const list = { type: 'array', items: { type: 'string' } };
    const payload = { method: 'post', parameters: [{ name: 'lines', in: 'query', required: true, schema: list }] };
    const patched = await stack.org.patch(`/actions/${id}`, { payload, api_endpoint: `${shop.url}/orders` });
    expect(patched).toMatchObject({ status: 200 });
    await page.reload();
    await button(page, 'Change Cancel an order').click();
    await page.getByText('more than rows can show').waitFor();
    await page.getByRole('checkbox', { name: 'Only for customers whose identity is verified' }).check();
    await button(page, 'Save').click();
    await eventually('the change', async () => (await stored()).requires_verified === true);
    expect((await stored()).payload).toEqual(payload);
    expect(complaints).toEqual([]);
    await page.close();
    await shop.close();
  });

  it('sets the brand with a logo, and adds a shift and a holiday to office hours in place', async () => {
    const { page, complaints } = await admin('/settings/brand');
    await page.getByRole('textbox', { name: /^Colour/ }).fill('#0f766e');
    await button(page, 'Save').click();
    await eventually('the colour', async () => (await stack.org.get('/org/settings')).body.brand?.color === '#0f766e');
    const picture = { name: 'logo.png', mimeType: 'image/png', buffer: PNG };
    await page.getByLabel('Picture of the logo').setInputFiles(picture);
    await page.getByRole('img', { name: 'The logo' }).waitFor();
    expect((await stack.org.get('/org/settings')).body.brand).toMatchObject({
      color: '#0f766e',
      logo: expect.stringContaining('/media/'),
    });
    await button(page, 'Remove it').click();
    await page.getByText('No logo: pages show the name alone.').waitFor();
    const shifts = [{ day_of_week: 'monday', start_time: '09:00:00', end_time: '12:00:00' }];
    const { body: hours } = await stack.org.post('/office-hours', { name: 'Desk', iana_timezone: 'UTC', shifts });
    await page.getByRole('link', { name: 'Office hours', exact: true }).click();
    await button(page, 'Change Desk').click();
    await button(page, 'Add a shift').click();
    await button(page, 'Add a holiday').click();
    await page.getByLabel('Date of holiday 1').fill('2027-01-01');
    await button(page, 'Save').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { body: changed } = await stack.org.get(`/office-hours/${hours.id}`);
    expect(changed.shifts).toMatchObject([hours.shifts[0], { day_of_week: 'monday_to_friday' }]);
    expect(changed.holidays).toMatchObject([{ date: '2027-01-01' }]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
