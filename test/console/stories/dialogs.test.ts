import type { Page, Route } from 'playwright-core';
import { CHROMIUM, startBrowser } from '../../support/chromium.ts';
import { buildConsole, createPages } from '../../support/console-pages.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';

const REFUSAL = { status: 409, json: { code: 'conflict', message: 'It is refused' } };

(CHROMIUM ? describe : describe.skip)('what is written in the console', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    [api, browser] = await Promise.all([startApi(), startBrowser()]);
    pages = createPages(api, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const admin = async (path: string, width = 1280) =>
    (await pages.open('ann@acme.example', path, { role: 'admin', width })).page;
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const question = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
  const hasFocus = (page: Page, name: string) =>
    eventually(`the focus on ${name}`, () =>
      page.evaluate<boolean>(`document.activeElement?.getAttribute('aria-label') === ${JSON.stringify(name)}`),
    );
  /** Holds what is sent to an address until it is answered, one after the other. */
  const hold = async (page: Page, path: string) => {
    const held: Route[] = [];
    await page.route(path, (route) => (route.request().method() === 'GET' ? route.fallback() : void held.push(route)));
    return async (answer: Parameters<Route['fulfill']>[0]) => {
      await eventually('a request', () => held.length > 0);
      await held.shift()?.fulfill(answer);
    };
  };

  const openNewTag = async () => {
    const page = await admin('/settings/tags');
    const answer = await hold(page, '**/tags');
    await button(page, 'New tag').click();
    const dialog = page.getByRole('dialog', { name: 'New tag' });
    await dialog.getByRole('textbox').first().fill('vip');
    await dialog.locator('[type=submit]').click();
    return { page, answer, dialog };
  };

  it('is not closed while it is sent without a question, and stays if it is refused', async () => {
    const { page, answer, dialog } = await openNewTag();
    await page.keyboard.press('Escape');
    await question(page, 'Close before the answer?').waitFor();
    await answer(REFUSAL);
    await question(page, 'Close without saving?').waitFor();
    await button(page, 'Cancel').click();
    await dialog.getByText('It is refused').waitFor();
    expect(await dialog.getByRole('textbox').first().inputValue()).toBe('vip');
    await page.close();
  });

  it('is said to be refused after its dialog was closed meanwhile', async () => {
    const { page, answer, dialog } = await openNewTag();
    await page.keyboard.press('Escape');
    await button(page, 'Close it').click();
    await dialog.waitFor({ state: 'detached' });
    await answer(REFUSAL);
    await page.getByRole('status').getByText('It is refused').waitFor();
    await page.close();
  });

  it('is not taken for sent where the form has sent nothing', async () => {
    const page = await admin('/ai/evals');
    await button(page, 'Add a case').click();
    const dialog = page.getByRole('dialog', { name: 'Add a case' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Refunds');
    await dialog.getByRole('textbox', { name: 'What the customer writes' }).fill('May I return it?');
    await dialog.getByRole('textbox', { name: 'Other checks' }).fill('{');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.keyboard.press('Escape');
    await question(page, 'Close without saving?').waitFor();
    await page.close();
  });

  it('stays in a question for a reason that is refused', async () => {
    const id = await pages.conversation('Zoe');
    const page = await admin(`/s/${id}`);
    await page.route('**/handoff', (route) => route.fulfill(REFUSAL));
    await page.getByRole('log').getByText('Zoe writes').waitFor();
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Hand off to people' });
    await dialog.getByRole('textbox').fill('A long reason');
    await dialog.getByRole('button', { name: 'Hand off' }).click();
    await dialog.getByRole('alert').getByText('It is refused').waitFor();
    expect(await dialog.getByRole('textbox').inputValue()).toBe('A long reason');
    await page.close();
  });

  it('stays as the name of a collection that is refused', async () => {
    const page = await admin('/knowledge');
    await page.route('**/training/directories', (route) =>
      route.request().method() === 'POST' ? route.fulfill(REFUSAL) : route.fallback(),
    );
    await button(page, 'Collections').click();
    const name = page.getByRole('textbox', { name: 'Name of a new collection' });
    await name.fill('Shipping');
    await name.press('Enter');
    await page.getByRole('alert').getByText('It is refused').waitFor();
    expect(await name.inputValue()).toBe('Shipping');
    await page.close();
  });

  it('is no question where it was a search, which is asked once for a word', async () => {
    const { body } = await api.org.post('/contacts', { contact: { name: 'Zoe', email: 'zoe@customer.example' } });
    await api.org.post('/contacts', { contact: { name: 'Zoe Klein', email: 'zk@customer.example' } });
    const page = await admin(`/contacts/${body.id}?merge=choose`);
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      const q = searchParams.get('q');
      if (pathname === '/contacts' && q !== null) asked.push(q);
    });
    const dialog = page.getByRole('dialog', { name: 'Merge with Zoe' });
    await dialog.getByRole('searchbox').pressSequentially('klein', { delay: 20 });
    await dialog.getByRole('button', { name: /^Zoe Klein/ }).waitFor();
    await eventually('the search', () => asked.includes('klein'));
    expect(asked.length).toBeLessThan(3);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.close();
  });

  it('is a choice of a role at once in the open list, and the stored role again where it is refused', async () => {
    await pages.linkFor('bo@acme.example');
    const page = await admin('/settings/members');
    await page.route('**/members/*', (route) => route.fulfill(REFUSAL));
    const role = page.getByRole('combobox', { name: 'Role of bo' });
    expect(await role.inputValue()).toBe('agent');
    await role.focus();
    await page.keyboard.press('ArrowUp'); // the closed list: nothing is done yet
    expect(await role.inputValue()).not.toBe('agent');
    await page.keyboard.press('Escape');
    expect(await role.inputValue()).toBe('agent');
    await page.keyboard.press('Alt+ArrowDown'); // the open list
    await page.waitForTimeout(300);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('It is refused').waitFor();
    await eventually('the stored role', async () => (await role.inputValue()) === 'agent');
    await page.close();
  });

  it('has the focus where a secret is removed and kept', async () => {
    const settings = { host: 'mail.acme.example', port: 587, username: 'ann', password: 'long secret' };
    await api.org.put('/integrations/email', { provider: 'smtp', settings });
    const page = await admin('/settings/integrations/email');
    await button(page, 'Remove it: Password').press('Enter');
    await hasFocus(page, 'Keep it: Password');
    await page.keyboard.press('Enter');
    await hasFocus(page, 'Remove it: Password');
    await page.close();
  });

  it('gives the focus to the row that takes the place of a deleted one, and back to what opened a form', async () => {
    for (const tag_name of ['a', 'b', 'c']) await api.org.put('/tags', { tag_name });
    const page = await admin('/settings/tags');
    await button(page, 'Change b').press('Enter');
    const description = page.getByRole('dialog', { name: 'b', exact: true }).getByRole('textbox').last();
    await description.fill('Of the second line');
    await page.locator('dialog [type=submit]').click();
    await page.getByText('Of the second line').waitFor();
    await hasFocus(page, 'Change b');
    await button(page, 'Delete b').press('Enter');
    await button(page, 'Delete the tag').press('Enter');
    await button(page, 'Delete b').waitFor({ state: 'detached' });
    await hasFocus(page, 'Delete c');
    await button(page, 'Delete c').press('Enter');
    await button(page, 'Delete the tag').press('Enter');
    await button(page, 'Delete c').waitFor({ state: 'detached' });
    await hasFocus(page, 'Delete a');
    await page.close();
  });

  it('keeps the focus in a form whose last row is removed', async () => {
    const page = await admin('/settings/office-hours');
    await button(page, 'New office hours').click();
    await button(page, 'Add a shift').click();
    await button(page, 'Remove shift 2').press('Enter');
    await eventually('the focus on a control', () =>
      page.evaluate<boolean>(`document.activeElement?.textContent === 'Add a shift'`),
    );
    await page.close();
  });

  it('fits into a narrow window where an action is tested, and says the answer', async () => {
    const name = 'ordersOfTheCustomerThatWereSentButHaveNotArrivedYetAnywhere';
    const api_endpoint = `https://shop.example/${'orders'.repeat(20)}/{order}`;
    const parameters = [{ name: 'order', in: 'path', required: true, schema: { type: 'string' } }];
    const made = await api.org.post('/actions', {
      name,
      api_endpoint,
      request_type: 'GET',
      payload: { method: 'get', parameters },
      enabled_on_channel: { channels: ['web'] },
    });
    expect(made.status).toBe(201);
    const page = await admin('/settings/actions', 380);
    const answer = {
      status: 200,
      duration_ms: 12,
      headers: { 'x-long': 'a'.repeat(200) },
      body: { id: 'b'.repeat(200) },
    };
    await page.route('**/actions/*/test', (route) => route.fulfill({ json: answer }));
    await button(page, `Test ${name}`).click();
    const dialog = page.getByRole('dialog', { name: `Test ${name}` });
    const result = dialog.getByRole('region', { name: 'The answer' });
    expect(await result.getAttribute('aria-live')).toBe('polite');
    await dialog.getByRole('textbox').fill('7');
    await dialog.getByRole('button', { name: 'Call it' }).click();
    await result.getByText('after 12 ms').waitFor();
    const overflow = `[...document.querySelectorAll('dialog[open], dialog[open] *')]
      .filter((one) => getComputedStyle(one).overflowX !== 'visible' || one.matches('dialog'))
      .map((one) => one.scrollWidth - one.clientWidth).filter((pixels) => pixels > 1)`;
    expect(await page.evaluate(overflow)).toEqual([]);
    const box = await button(page, 'Close').boundingBox();
    expect((box?.x ?? 380) + (box?.width ?? 0)).toBeLessThanOrEqual(380);
    await page.close();
  });
});
