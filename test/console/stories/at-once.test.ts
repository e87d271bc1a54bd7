import type { Page, Route } from 'playwright-core';
import { newId } from '../../../src/ids.ts';
import { CHROMIUM, startBrowser } from '../../support/chromium.ts';
import { buildConsole, createPages } from '../../support/console-pages.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';

const REFUSAL = { status: 409, json: { code: 'conflict', message: 'It is refused' } };
const MANY = 120;

(CHROMIUM ? describe : describe.skip)('what happens at once in the console', () => {
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

  const admin = async (path: string) => (await pages.open('ann@acme.example', path, { role: 'admin' })).page;
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
  /** Holds what changes something at an address, until it is answered. */
  const hold = async (page: Page, path: string) => {
    const held: Route[] = [];
    await page.route(path, (route) => (route.request().method() === 'GET' ? route.fallback() : void held.push(route)));
    return async (answer?: Parameters<Route['fulfill']>[0]) => {
      await eventually('a request', () => held.length > 0);
      await (answer === undefined ? held.shift()?.continue() : held.shift()?.fulfill(answer));
    };
  };
  /** How often a sentence is shown, or said in a live region. */
  const countOf = (page: Page, text: string) => page.getByText(text, { exact: true }).count();

  it('keeps what is written in one form of a dialog while another one of it is stored', async () => {
    await api.org.post('/training/directories', { name: 'Shipping' });
    const page = await admin('/knowledge');
    const answer = await hold(page, '**/training/directories');
    await button(page, 'Collections').click();
    await button(page, 'Rename Shipping').click();
    const renamed = page.getByRole('textbox', { name: 'Name of Shipping' });
    await page.getByRole('textbox', { name: 'Name of a new collection' }).fill('Refunds');
    await page.keyboard.press('Enter');
    await renamed.fill('Parcels');
    await answer();
    await button(page, 'Rename Refunds').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page, 'Close without saving?').waitFor();
    await button(page, 'Cancel').last().click();
    expect(await renamed.inputValue()).toBe('Parcels');
    await renamed.press('Enter');
    await button(page, 'Rename Parcels').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page, 'Collections').waitFor({ state: 'detached' });
    await page.close();
  });

  it('says at the bottom that a form was refused which had gone, while its dialog is still open', async () => {
    await api.org.post('/training/directories', { name: 'Returns' });
    const page = await admin('/knowledge');
    const answer = await hold(page, '**/training/directories/*');
    await button(page, 'Collections').click();
    await button(page, 'Rename Returns').click();
    const name = page.getByRole('textbox', { name: 'Name of Returns' });
    await name.fill('Sent back');
    await name.press('Enter');
    await page.locator('form').filter({ has: name }).getByRole('button', { name: 'Cancel' }).click();
    await answer(REFUSAL);
    await page.getByRole('status').getByText('It is refused').waitFor();
    await page.close();
  });

  it('says a refusal once: in the dialog that asked', async () => {
    const id = await pages.conversation('Zoe');
    const page = await admin(`/s/${id}`);
    await page.route('**/handoff', (route) => route.fulfill(REFUSAL));
    await page.getByRole('log').getByText('Zoe writes').waitFor();
    await page.keyboard.press('m');
    await dialog(page, 'Hand off to people').getByRole('button', { name: 'Hand off' }).click();
    await dialog(page, 'Hand off to people').getByRole('alert').getByText('It is refused').waitFor();
    expect(await countOf(page, 'It is refused')).toBe(1);
    await page.goto(`${api.url}/console/insights`);
    await page.route('**/insights/categories', (route) =>
      route.request().method() === 'PUT' ? route.fulfill(REFUSAL) : route.fallback(),
    );
    await button(page, 'Categories').click();
    await dialog(page, 'Categories').getByRole('textbox').fill('Parcels');
    await dialog(page, 'Categories').getByRole('button', { name: 'Save' }).click();
    await dialog(page, 'Categories').getByRole('alert').getByText('It is refused').waitFor();
    expect(await countOf(page, 'It is refused')).toBe(1);
    await page.close();
  });

  it('offers of a search only what the written words find', async () => {
    const { body } = await api.org.post('/contacts', { contact: { name: 'Zoe', email: 'zoe@customer.example' } });
    await api.org.post('/contacts', { contact: { name: 'Ben Klein', email: 'ben@customer.example' } });
    const page = await admin(`/contacts/${body.id}?merge=choose`);
    const merge = dialog(page, 'Merge with Zoe');
    await merge.getByRole('button', { name: /^Ben Klein/ }).waitFor();
    const typed = `(() => {
      const field = document.querySelector('dialog [type=search]');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'nobody of this name');
      field.dispatchEvent(new Event('input', { bubbles: true }));
      return new Promise((done) => requestAnimationFrame(() => done(document.querySelectorAll('dialog li').length)));
    })()`;
    expect(await page.evaluate(typed)).toBe(0);
    await merge.getByText('Nobody else was found for “nobody of this name”').waitFor();
    await page.close();
  });

  it('says what a body of JSON has to have, and lets nobody leave it out', async () => {
    const schema = {
      type: 'object',
      properties: { order: { type: 'object', properties: { id: { type: 'string' } } } },
      required: ['order'],
    };
    const made = await api.org.post('/actions', {
      name: 'Refund',
      api_endpoint: 'https://shop.example/refunds',
      request_type: 'POST',
      payload: { method: 'post', requestBody: { required: true, content: { 'application/json': { schema } } } },
      enabled_on_channel: { channels: ['web'] },
    });
    expect(made.status).toBe(201);
    const page = await admin('/settings/actions');
    const calls: string[] = [];
    page.on('request', (request) => void (request.url().endsWith('/test') && calls.push(request.url())));
    await button(page, 'Test Refund').click();
    const body = dialog(page, 'Test Refund').getByRole('textbox', { name: 'Body, as JSON', exact: true });
    await page.getByText('It has to have order.').waitFor();
    await body.fill('');
    await button(page, 'Call it').click();
    expect(await page.evaluate<boolean>(`document.querySelector('dialog textarea').matches(':invalid')`)).toBe(true);
    expect(calls).toEqual([]);
    await page.close();
  });

  it('has the focus on a row that was scrolled out of sight, and goes on from there', async () => {
    for (let n = 0; n < MANY; n++)
      await api.org.post('/contacts', { contact: { name: `Row ${n}`, email: `row${n}@rows.example` } });
    const page = await admin('/contacts');
    const rows = page.getByRole('list', { name: 'Contacts' });
    await rows.getByRole('link').nth(2).focus();
    const focused = () => page.evaluate<string>('document.activeElement?.textContent ?? ""');
    const name = await focused();
    await page.evaluate(`(() => {
      const list = document.querySelector('ul[aria-label=Contacts]');
      list.parentElement.scrollTop = list.scrollHeight / 2;
    })()`);
    await page.waitForTimeout(300); // rows go after the scrolling
    expect(await focused()).toBe(name);
    await page.keyboard.press('j');
    await eventually('the next row', async () => (await focused()) !== name);
    const next = await focused();
    await page.keyboard.press('k');
    await eventually('the row before', async () => (await focused()) === name);
    expect(next).not.toBe('');
    await rows.getByText(name, { exact: true }).waitFor();
    await page.close();
  });

  it('redacts what a reader wrote after a question, for admins alone', async () => {
    const articles = [{ title: 'Returns', slug: 'returns', content_markdown: 'Within thirty days.' }];
    await api.org.put('/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles }] });
    const article_id: string = (await api.org.get('/help-center/articles')).body.items[0].id;
    const said = { article_id, language: 'en', is_helpful: false, comment: 'Call me: +44 20 7946 0958' };
    await api.db
      .insertInto('help_center_answers')
      .values({ ...said, org_id: api.org.id, id: newId() })
      .execute();
    const agent = (await pages.open('bo@acme.example', `/knowledge/help-center/${article_id}`)).page;
    await agent.getByText('Call me').waitFor();
    expect(await agent.getByRole('button', { name: /^Redact/ }).count()).toBe(0);
    await agent.close();
    const page = await admin(`/knowledge/help-center/${article_id}`);
    await page.getByRole('button', { name: /^Redact/ }).click();
    const question = dialog(page, 'Redact this sentence?');
    await question.getByRole('textbox').fill('A phone number');
    await button(page, 'Redact for good').click();
    await page.getByText('Call me').waitFor({ state: 'detached' });
    const { items } = (await api.org.get('/redaction')).body;
    expect(items).toMatchObject([{ kind: 'feedback', reason: 'A phone number', affected: 1 }]);
    await page.close();
  });
});
