import type { Page, Response } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { CHROMIUM, overflowOf, startBrowser, WIDTHS } from '../support/chromium.ts';
import { buildConsole, createPages, violationsIn } from '../support/console-pages.ts';
import { smsStep } from '../support/sequences.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const IS_LONG = process.env.TEST_TIER === 'long';

(CHROMIUM && IS_LONG ? describe : describe.skip)('home, contacts and the search in the console', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  let ada: string;
  let sessionId: string;
  beforeAll(async () => {
    await buildConsole();
    [api, browser] = await Promise.all([startApi(), startBrowser()]);
    pages = createPages(api, browser);
    await seed();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  /** Ada has written, and is suppressed. A sequence has paused itself, and a delivery has an unknown outcome. */
  async function seed(): Promise<void> {
    const contact = { name: 'Ada Lovelace', email: 'ada@home.example', custom_data: { plan: 'pro' } };
    ada = (await api.org.post('/contacts', { contact })).body.id;
    sessionId = (await api.org.post('/chat/sessions', { contact_id: ada })).body.id;
    await pages.say(sessionId, 'The teapot is cracked');
    await api.org.post('/suppressions', { address: 'ada@home.example' });
    const { body } = await api.org.post('/sequences', { name: 'Spring sale', filter: null, steps: [smsStep('Hello')] });
    const paused = { status: 'paused', paused_at: new Date(), paused_reason: 'No sender is connected' } as const;
    await api.db.updateTable('sequences').set(paused).where('id', '=', body.id).execute();
    const message = {
      org_id: api.org.id,
      id: newId(),
      channel: 'sms',
      to: '+4915112345678',
      status: 'unknown',
    } as const;
    await api.db.insertInto('deliveries').values(message).execute();
  }
  const list = (page: Page, name: string) => page.getByRole('list', { name, exact: true });

  it('shows at Home what needs a person, each with the way to it, also to whoever may change nothing', async () => {
    const { page, complaints } = await pages.open('vic@acme.example', '/', { role: 'viewer' });
    const needed = list(page, 'What needs a person');
    await needed.getByText('No sender is connected').waitFor();
    expect(await page.title()).toContain('Home');
    await list(page, 'Waiting longest')
      .getByRole('link', { name: /Ada Lovelace/ })
      .waitFor();
    await needed.getByRole('link', { name: 'Messages that may have gone out' }).click();
    await page.getByRole('dialog', { name: 'Delivery' }).waitFor();
    await page.goBack();
    await needed.getByRole('link', { name: 'Spring sale' }).click();
    await page.getByRole('heading', { name: 'Spring sale' }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('finds a contact by a part of its name, shows what happened with it, and changes it', async () => {
    const { page, complaints } = await pages.open('ann@acme.example', '/contacts');
    await page.getByRole('searchbox', { name: 'Name, e-mail or phone number' }).fill('love');
    await page.keyboard.press('Enter');
    await list(page, 'Contacts').getByRole('link', { name: 'Ada Lovelace' }).click();
    await list(page, 'Timeline')
      .getByRole('link', { name: /^ada@home.example by e-mail/ })
      .waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada King');
    await page.getByRole('textbox', { name: 'Phone' }).fill('not a number');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Phone' }).fill('+44 20 7946 0958');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Ada King' }).waitFor();
    expect((await api.org.get(`/contacts/${ada}`)).body).toMatchObject({
      name: 'Ada King',
      phone: '+442079460958',
      email: 'ada@home.example',
      custom_data: { plan: 'pro' },
    });
    await list(page, 'Timeline')
      .getByRole('link', { name: /^Conversation #/ })
      .click();
    await page.getByRole('log').getByText('The teapot is cracked').waitFor();
    await page.getByRole('link', { name: 'All about this contact' }).click();
    await page.getByRole('heading', { name: 'Ada King' }).waitFor();
    expect(complaints.filter((line) => !line.includes('400'))).toEqual([]);
    await page.close();
  });

  it('merges a contact with another one after showing what that does, by the keyboard alone', async () => {
    const save = async (contact: object): Promise<string> => (await api.org.post('/contacts', { contact })).body.id;
    const id = await save({ name: 'Grace Hopper', email: 'grace@home.example' });
    const otherId = await save({ name: 'G. Hopper', email: 'hopper@home.example', phone: '+442079460123' });
    const { page, complaints } = await pages.open('ada@acme.example', `/contacts/${id}`, { role: 'admin' });
    await page.getByRole('link', { name: 'Merge with…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Merge with Grace Hopper' });
    const search = dialog.getByRole('searchbox', { name: 'Name, e-mail or phone number of the other contact' });
    await search.waitFor();
    expect(await page.evaluate<string>('document.activeElement.type')).toBe('search');
    await page.keyboard.type('hopper');
    await dialog.getByRole('button', { name: /^G\. Hopper/ }).press('Enter');
    await dialog.getByText('Dropped: G. Hopper').waitFor();
    await dialog.getByText('Still finds the contact, and gets no messages: hopper@home.example').waitFor();
    await dialog.getByText('+442079460123').waitFor();
    expect((await api.org.get(`/contacts/${otherId}`)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Merge the two contacts' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('+442079460123').waitFor();
    expect((await api.org.get(`/contacts/${otherId}`)).body).toMatchObject({
      code: 'contact_merged',
      conflicting: { id },
    });
    await page.goto(`${api.url}/console/contacts/${otherId}`);
    await page.getByRole('link', { name: 'Show that one' }).click();
    await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
    expect(complaints.filter((line) => !line.includes('404'))).toEqual([]);
    await page.close();
  });

  it('blocks a contact and its domain, says so and why, unblocks it, and deletes it', async () => {
    const contact = { name: 'Mallory', email: 'mallory@spam.example' };
    const { id } = (await api.org.post('/contacts', { contact })).body;
    const { page, complaints } = await pages.open('root@acme.example', `/contacts/${id}`, { role: 'admin' });
    const { button, dialog, said } = {
      button: (name: string | RegExp) => page.getByRole('button', { name, exact: true }),
      dialog: page.getByRole('dialog'),
      said: (text: string) => page.getByRole('status').getByText(text).waitFor(),
    };
    await button('Block…').click();
    await dialog.getByRole('textbox', { name: 'Why, for the team' }).fill('Threats');
    await dialog.getByRole('button', { name: 'Block' }).click();
    await page.getByText('Threats').waitFor();
    const blocked = async () => (await api.org.get(`/blocklist/contacts?email=${contact.email}`)).body.data;
    expect(await blocked()).toMatchObject([{ contact_id: id, reason: 'Threats' }]);
    await button('Unblock').click();
    await button('Block…').waitFor();
    expect(await blocked()).toEqual([]);

    await page.goto(`${api.url}/console/settings/blocked`);
    await page.getByText('None is blocked').first().waitFor();
    const block = async (who: string) => {
      await dialog.getByRole('textbox', { name: /^E-mail, or a domain/ }).fill(who);
      await dialog.getByRole('button', { name: 'Block' }).click();
    };
    await button('Block').click();
    await block('no domain');
    await dialog.getByRole('alert').getByText('not valid: no domain').waitFor();
    await block('spam.example');
    await said('spam.example is blocked');
    await button('Block').click();
    await block(contact.email);
    await list(page, 'Addresses').getByRole('link', { name: contact.email }).waitFor();
    await button(`Unblock ${contact.email}`).click();
    await button(`Unblock ${contact.email}`).waitFor({ state: 'detached' });

    await page.goto(`${api.url}/console/contacts/${id}`);
    await page.getByText('by its domain spam.example').waitFor();
    await button('Delete…').click();
    await dialog.getByRole('button', { name: 'Delete the contact' }).click();
    await said('Mallory is deleted');
    await page.waitForURL(`${api.url}/console/contacts`);
    expect((await api.org.get(`/contacts/${id}`)).status).toBe(404);
    expect(complaints.filter((line) => !line.includes('400'))).toEqual([]);
    await page.close();
  });

  it('goes to anything by the palette: a number, a name, words of a message', async () => {
    const { page, complaints } = await pages.open('ann@acme.example', '/');
    const { body } = await api.org.get(`/chat/sessions/${sessionId}`);
    const go = async (text: string, option: RegExp) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Go to, search or do' }).fill(text);
      await page.getByRole('option', { name: option }).first().click();
    };
    await go(`#${body.ticket_number}`, /^#\d+ Ada/);
    await page.waitForURL(`**/s/${sessionId}**`);
    await go('spring', /^Spring sale/);
    await page.getByRole('heading', { name: 'Spring sale' }).waitFor();
    await go('teapot', /The teapot is cracked/);
    await page.waitForURL(`**/s/${sessionId}**`);
    await go('ada@home', /ada@home.example/);
    await page.waitForURL(`**/contacts/${ada}`);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('says why a search failed, and searches again, and changes nothing of a contact that somebody else changed', async () => {
    const { page } = await pages.open('ann@acme.example', '/');
    let isAway = true;
    await page.route('**/search?*', (route) =>
      isAway ? route.fulfill({ status: 500, json: { code: 'internal', message: 'It broke' } }) : route.continue(),
    );
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to, search or do' }).fill('teapot');
    await page.getByRole('alert').getByText('It broke').waitFor({ timeout: 20_000 });
    isAway = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('option', { name: /The teapot is cracked/ }).waitFor();
    await page.goto(`${api.url}/console/contacts/${ada}`);
    await page.getByRole('button', { name: 'Change' }).click();
    const { name } = (await api.org.get(`/contacts/${ada}`)).body;
    await api.org.patch(`/contacts/${ada}`, { contact: { external_id: 'crm-7' } });
    const isRead = (response: Response) => response.url().endsWith(`/contacts/${ada}`);
    await page.waitForResponse(isRead, { timeout: 45_000 });
    await page.getByRole('textbox', { name: 'Name' }).fill(`${name} the first`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: `${name} the first` }).waitFor();
    expect((await api.org.get(`/contacts/${ada}`)).body).toMatchObject({
      external_id: 'crm-7',
      name: `${name} the first`,
    });
    await api.org.patch(`/contacts/${ada}`, { contact: { name, external_id: null } });
    await page.close();
  }, 90_000);

  it.each(WIDTHS)('has no fault that axe finds on any page at %d px, in either theme', async (width) => {
    const { page, complaints } = await pages.open('zoe@acme.example', '/', { role: 'admin', width });
    const contact = { name: 'A. King', email: `king-${width}@home.example`, custom_data: { plan: 'free' } };
    const other = (await api.org.post('/contacts', { contact })).body.id;
    const pagesReady = [
      ['/', 'What needs a person'],
      ['/contacts', 'Ada'],
      ['/contacts?q=nobody-at-all', 'Nobody was found'],
      [`/contacts/${ada}`, 'Timeline'],
      [`/contacts/${newId()}`, 'There is no such contact'],
      [`/contacts/${ada}?merge=choose`, 'Nothing is merged before'],
      [`/contacts/${ada}?merge=${other}`, 'There is no way back'],
    ] as const;
    for (const [n, [address, ready]] of pagesReady.entries()) {
      await page.goto(`${api.url}/console${address}`);
      await page.getByText(ready).first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect([address, colorScheme, await violationsIn(page)]).toEqual([address, colorScheme, []]);
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/home-${n}-${width}-${colorScheme}.png` });
      }
      expect([address, await overflowOf(page)]).toEqual([address, 0]);
    }
    expect(complaints.filter((line) => !line.includes('404'))).toEqual([]);
    await page.close();
  });
});
