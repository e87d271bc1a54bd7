import type { Page } from 'playwright-core';
import { insightsOf, resolvedSaying } from '../insights/support.ts';
import { CHROMIUM, startBrowser, WIDTHS } from '../support/chromium.ts';
import { buildConsole, createPages } from '../support/console-pages.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { faultsOf } from './stories/faults.ts';
import { untilSettled } from './stories/routes.ts';

const IS_LONG = process.env.TEST_TIER === 'long';
const PARCEL = 'My parcel has not arrived although it was sent two weeks ago';
const PASSWORD = 'How do I change the password of my account';
const REPORTS = ['volumes', 'first-reply', 'sla', 'csat', 'deliveries', 'ai', 'handoffs'];
const YEAR_MS = 1_000;

(CHROMIUM && IS_LONG ? describe : describe.skip)('insights and analytics in the console', () => {
  let stack: Stack;
  let org: TestOrg;
  let parcelSession: string;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    [stack, browser] = await Promise.all([startStack(), startBrowser()]);
    org = await stack.createOrg();
    await org.patch('/org/settings', { timezone: 'Pacific/Auckland' });
    await org.post('/teams', { name: 'Logistics' });
    await org.put('/insights/categories', { categories: ['Delivery'] });
    parcelSession = await resolvedSaying(stack, org, PARCEL);
    await resolvedSaying(stack, org, PASSWORD);
    pages = createPages({ url: stack.url, partner: stack.partner, org }, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  const admin = (path: string, options = {}) => pages.open('ann@acme.example', path, { role: 'admin', ...options });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const parcelInsight = async () => {
    const [insight] = await insightsOf(org, { search: 'parcel' });
    if (insight === undefined) throw new Error('There is no insight of the parcel');
    return insight;
  };

  it('answers with the sessions of each week for the insights of a page', async () => {
    const { body } = await org.post('/insights', { trend: true });
    expect(body.trends).toEqual(body.data.map(() => [0, 0, 0, 0, 0, 0, 0, 1]));
  });

  it('assigns, resolves, reopens and archives an insight, and leads from a quote to its conversation', async () => {
    const { page, complaints } = await admin('/insights');
    await page
      .getByRole('list', { name: 'Insights' })
      .getByRole('link', { name: /parcel/ })
      .click();
    await page.getByRole('combobox', { name: 'Team' }).selectOption({ label: 'Logistics' });
    await page.getByText('Assigned to Logistics').waitFor();
    await page.getByRole('combobox', { name: 'Category' }).selectOption('Delivery');
    await eventually('the category', async () => (await parcelInsight()).category === 'Delivery');
    await button(page, 'Resolve').click();
    await button(page, 'Reopen').waitFor();
    expect((await parcelInsight()).status).toBe('resolved');
    await button(page, 'Reopen').click();
    await button(page, 'Archive').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Why' }).fill('Works as designed');
    await dialog.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('Archived: Works as designed').waitFor();
    await button(page, 'Reopen').click();
    await button(page, 'Resolve').waitFor();
    const quote = page.getByRole('link', { name: 'Open the conversation' }).first();
    expect(await quote.getAttribute('href')).toBe(`/console/s/${parcelSession}`);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('merges insights from the list, and undoes the merge', async () => {
    const { page, complaints } = await admin('/insights');
    const list = page.getByRole('list', { name: 'Insights' });
    for (const name of [/parcel/, /password/]) await list.getByRole('checkbox', { name }).check();
    await button(page, 'Merge 2 insights').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click();
    await eventually('one insight', async () => (await insightsOf(org)).length === 1);
    await page.goto(`${stack.url}/console/insights/changes`);
    await button(page, 'Undo').click();
    await eventually('two insights', async () => (await insightsOf(org)).length === 2);
    await page.getByText('It is undone').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows the same figures as the API, by days of the org’s time zone, and leads from deliveries to their list', async () => {
    const { body: contact } = await org.post('/contacts', { contact: { email: 'zoe@customer.example' } });
    const recipients = [{ to_email: 'zoe@customer.example', email_subject: 'Hi', email_body: 'Hi' }];
    await org.post('/email', { from_email: 'hello@acme.example', recipients });
    expect(contact.id).toBeDefined();
    const { page, complaints } = await admin('/analytics?show=volumes');
    const table = page.getByRole('region', { name: 'Volumes as a table' });
    await table.waitFor();
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Auckland' }).format(new Date());
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(today);
    expect(await table.getByRole('row').count()).toBe(31);
    expect(await table.getByRole('row').last().getByRole('cell').first().textContent()).toBe('2');
    await table.getByRole('row').last().getByRole('link', { name: '2', exact: true }).click();
    await page.waitForURL(/\/inbox\?.*created_after=/);
    const listed = page.getByRole('list', { name: 'Conversations' }).getByRole('link');
    await eventually('both conversations, which are closed', async () => (await listed.count()) === 2);
    await page.getByRole('button', { name: /^Remove the filter Opened before/ }).waitFor();
    await page.goBack();
    await table.waitFor();
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    const deliveries = page.getByRole('region', { name: 'Deliveries as a table' });
    await deliveries.getByRole('link', { name: '1', exact: true }).first().click();
    await page.waitForURL(/\/outbound\/deliveries\?from=/);
    await page.getByRole('list', { name: 'Deliveries' }).getByText('zoe@customer.example').first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows a year in under a second', async () => {
    const { page } = await admin('/analytics');
    await page.getByRole('region', { name: 'Volumes as a table' }).waitFor();
    const begin = performance.now();
    await page.getByRole('combobox', { name: 'Range' }).selectOption('365');
    const rows = page.getByRole('region', { name: 'Volumes as a table' }).getByRole('row');
    await eventually('365 days', async () => (await rows.count()) === 366);
    await page.locator('canvas').waitFor();
    expect(performance.now() - begin).toBeLessThan(YEAR_MS);
    await page.close();
  });

  it.each(WIDTHS)(
    'has no fault that axe finds on any page at %d px, in either theme',
    async (width) => {
      const { id } = await parcelInsight();
      const { page, complaints } = await admin('/insights', { width });
      const paths = [
        '/insights',
        '/insights?status=all',
        `/insights/${id}`,
        '/insights/proposals',
        '/insights/changes',
        ...REPORTS.map((report) => `/analytics?show=${report}`),
        '/analytics?show=volumes&by=channel',
      ];
      expect(await faultsOf(page, paths, { url: stack.url, width })).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    },
    180_000,
  );

  it('offers a viewer nothing that the server refuses', async () => {
    const { id } = await parcelInsight();
    const { page } = await pages.open('viewer@acme.example', '/insights', { role: 'viewer' });
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    for (const path of ['/insights', `/insights/${id}`, '/insights/proposals', '/insights/changes', '/analytics']) {
      await page.goto(`${stack.url}/console${path}`);
      await untilSettled(page);
      for (const name of ['Resolve', 'Archive', 'Rename', 'Review now', 'Undo'])
        expect([path, name, await button(page, name).count()]).toEqual([path, name, 0]);
      expect(await page.getByRole('checkbox').count()).toBe(0);
    }
    expect(refused).toEqual([]);
    await page.close();
  });
});
