import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { newAnsweringOrg, QUESTION } from '../ai/answering-org.ts';
import { addTurn } from '../ai/calls/calling.ts';
import { crawlAgain, crawlSite, untilCrawled } from '../crawl/crawling.ts';
import { CHROMIUM, startBrowser, WIDTHS } from '../support/chromium.ts';
import { buildConsole, createPages } from '../support/console-pages.ts';
import { type FakeSite, pageOf, startFakeSite } from '../support/fakes/site.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { faultsOf } from './stories/faults.ts';
import { untilSettled } from './stories/routes.ts';

const IS_LONG = process.env.TEST_TIER === 'long';

(CHROMIUM && IS_LONG ? describe : describe.skip)('knowledge and the AI in the console', () => {
  let stack: Stack;
  let site: FakeSite;
  let org: TestOrg;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    [stack, site, browser] = await Promise.all([
      startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8', CRAWL_DELAY_MS: '0', CHROMIUM_PATH: 'none' } }),
      startFakeSite(),
      startBrowser(),
    ]);
    org = await newAnsweringOrg(stack);
    pages = createPages({ url: stack.url, partner: stack.partner, org }, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await Promise.all([stack.close(), site.close()]);
  });

  /** Has a site lose half of its pages. Their removal is held then. */
  async function siteWithHeldPages(folder: string): Promise<string> {
    const paths = ['/a', '/b', '/c'].map((path) => `/${folder}${path}`);
    site.pages.set(`/${folder}`, pageOf(`Home of ${folder}`, { links: paths }));
    for (const path of paths) site.pages.set(path, pageOf(`Page ${path}`));
    const { id } = await crawlSite(org, { url: `${site.url}/${folder}`, display_name: folder });
    for (const path of paths.slice(1)) site.pages.set(path, { status: 404 });
    site.pages.set(`/${folder}/a`, pageOf(`Page /${folder}/a`, { text: '++i says how it was rewritten.' }));
    await crawlAgain(org, id);
    await crawlAgain(org, id);
    return id;
  }
  const admin = (path: string, options = {}) => pages.open('ann@acme.example', path, { role: 'admin', ...options });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const synced = async (id: string) => (await org.get(`/crawl/${id}`)).body.page_stats.synced;

  /** Has an answer to Ada quote what a page said before it changed. */
  async function answerQuoting(itemId: string): Promise<void> {
    const { body: ada } = await org.post('/contacts', {
      contact: { name: 'Ada Lovelace', email: 'ada@customer.example' },
    });
    const { body: session } = await org.post('/chat/sessions', { contact_id: ada.id });
    const { turnId } = await addTurn(stack.db, org, session.id);
    const passage = { chunk: 0, url: null, title: 'Page a', heading: '', quote: 'What it said', hash: '0'.repeat(64) };
    await stack.db
      .insertInto('ai_claims')
      .values({
        org_id: org.id,
        turn_id: turnId,
        position: 0,
        item_id: itemId,
        ...passage,
        start_offset: 0,
        end_offset: 12,
        changed_at: new Date(Date.now() - 60_000),
      })
      .execute();
  }

  it('shows what a crawl changed, and has held removals refused and accepted', async () => {
    const [kept, removed] = [await siteWithHeldPages('kept'), await siteWithHeldPages('removed')];
    await stack.db
      .updateTable('crawl_changes')
      .set({ diff: sql<string>`diff || ${'\n\\ Left out: 1,234 more characters'}` })
      .where('org_id', '=', org.id)
      .where('diff', 'is not', null)
      .execute();
    const { page_id } = await stack.db
      .selectFrom('crawl_changes')
      .innerJoin('crawl_pages', 'crawl_pages.id', 'crawl_changes.page_id')
      .select('page_id')
      .where('crawl_changes.org_id', '=', org.id)
      .where('datasource_id', '=', kept)
      .where('diff', 'is not', null)
      .executeTakeFirstOrThrow();
    await answerQuoting(page_id);
    const { page, complaints } = await admin(`/knowledge/websites/${kept}`);
    const held = page.getByRole('region', { name: '2 removals are held' });
    const bar = page.getByText('2 of 4 pages seem to be gone. They are kept until somebody removes them');
    await bar.waitFor();
    await held.getByText('Not found').nth(1).waitFor();
    await crawlAgain(org, kept); // holds the same pages again
    const crawls = page.getByRole('list', { name: 'Crawls' });
    await page.reload();
    await crawls.getByText('2 were held').waitFor();
    await crawls.getByRole('button').nth(1).click();
    await page.getByText('2 removals were held by this crawl.').waitFor();
    expect(await button(page, 'Keep the pages').count()).toBe(0);
    await page.getByRole('link', { name: 'The latest crawl' }).click();
    await button(page, 'Keep the pages').click();
    await page.getByText('2 pages are kept').waitFor();
    await held.waitFor({ state: 'detached' });
    await bar.waitFor({ state: 'detached' });
    expect(await synced(kept)).toBe(4);
    await crawls.getByRole('button').nth(2).click();
    await page.getByText('What changed').click();
    await page.getByText('+ ++i says how it was rewritten.').waitFor();
    await page.getByText('Left out: 1,234 more characters').waitFor();
    await page.getByRole('link', { name: 'Quoted in 1 answer' }).click();
    await page.getByRole('button', { name: 'Remove the filter Quotes one source' }).waitFor();
    await button(page, 'Answers by changed pages').click();
    await page
      .getByRole('list', { name: 'Changed citations' })
      .getByRole('link', { name: /^#\d+ Ada Lovelace$/ })
      .waitFor();
    await page.goto(`${stack.url}/console/knowledge/websites`);
    await page.getByRole('list', { name: 'Websites' }).getByText('2 of 4 pages seem to be gone').waitFor();
    await page.getByRole('link', { name: 'removed' }).click();
    await bar.waitFor();
    await button(page, 'Remove them').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the pages' }).click();
    await held.waitFor({ state: 'detached' });
    await bar.waitFor({ state: 'detached' });
    expect(await synced(removed)).toBe(2);
    await page.getByRole('link', { name: /^Pages \(/ }).click();
    const known = page.getByRole('list', { name: 'Pages' });
    await known.getByText('Removed', { exact: true }).nth(1).waitFor();
    await known
      .getByText(/Not found · 404 · since /)
      .nth(1)
      .waitFor();
    const current = page.getByRole('navigation', { name: 'Website' }).locator('[aria-current=page]');
    expect(await current.allTextContents()).toEqual(['Pages (2)']);
    await page.getByRole('heading', { level: 1 }).getByRole('link').click();
    await page.getByRole('link', { name: 'removed' }).waitFor();
    await page.getByText('2 of 4 pages seem to be gone').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('keeps what is typed while an article is saved, and overwrites what somebody else has saved only when asked', async () => {
    const { body: article } = await org.post('/training', { title: 'Parcels', content: 'By post.' });
    const path = `/training/${article.id}`;
    const { page, complaints } = await admin(`/knowledge/articles/${article.id}`);
    const text = page.getByRole('textbox', { name: 'Text, as Markdown' });
    const isStored = (content: string) =>
      eventually(`the text ${content}`, async () => (await org.get(path)).body.content === content);
    const typed = Promise.withResolvers<void>();
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() === 'PATCH') await typed.promise;
      await route.continue();
    });
    await text.fill('By bicycle.');
    await button(page, 'Save and publish').click();
    await text.fill('By bicycle, on Friday.');
    typed.resolve();
    await page.getByText('Saved', { exact: true }).waitFor();
    await isStored('By bicycle.');
    expect(await text.inputValue()).toBe('By bicycle, on Friday.');
    await button(page, 'Save and publish').click();
    await isStored('By bicycle, on Friday.');
    await button(page, 'Discard changes').waitFor({ state: 'detached' });

    await text.fill('By train.');
    await org.patch(path, { content: 'By van.' });
    await button(page, 'Save and publish').click();
    await page.getByRole('alert').getByText('Somebody has changed the article').waitFor();
    await isStored('By van.');
    await button(page, 'Discard changes').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await eventually('the text of the other one', async () => (await text.inputValue()) === 'By van.');
    await text.fill('By van, daily.');
    await org.patch(path, { content: 'By ship.' });
    await button(page, 'Save and publish').click();
    await button(page, 'Save mine over it').click();
    await isStored('By van, daily.');
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.waitForURL(/tab=versions$/);
    const current = page.getByRole('navigation', { name: 'Article' }).locator('[aria-current=page]');
    expect(await current.allTextContents()).toEqual(['Versions']);
    expect(complaints.filter((line) => !line.includes('412'))).toEqual([]);
    await page.close();
  });

  it('moves a bar while a website is crawled, and says what failed at its end', async () => {
    const paths = Array.from({ length: 40 }, (_, n) => `/slow/${n}`);
    site.pages.set('/slow', pageOf('Slow', { links: paths }));
    for (const path of paths) site.pages.set(path, { ...pageOf(path), delayMs: 800 });
    site.pages.set('/slow/3', { status: 403 });
    const { page, complaints } = await admin('/knowledge/websites');
    await button(page, 'Add a website').click();
    await page.getByRole('textbox', { name: /^Address/ }).fill(`${site.url}/slow`);
    await button(page, 'Add and crawl').click();
    const bar = page.getByRole('progressbar');
    await bar.waitFor();
    await page.getByText(/^\d+ of \d\d pages known so far$/).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) as string;
    await untilCrawled(org, id);
    await page.getByText(/pages were visited/).waitFor();
    await page.getByRole('link', { name: 'Pages that failed' }).click();
    await page.getByText('Access refused · 403').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('changes the settings of the AI by a draft whose difference is shown, and publishes it', async () => {
    const { page, complaints } = await admin('/ai/settings');
    await page.getByText('No other draft').waitFor();
    await page.getByRole('spinbutton', { name: 'Questions to a model for an answer' }).fill('3');
    await page.getByRole('textbox', { name: /^Budgets of/ }).fill('{"day": {"tokens": }}');
    await page.getByText('Something is no JSON').waitFor();
    await page.getByRole('textbox', { name: /^Budgets of/ }).fill('{"day": {"tokens": 5000}}');
    await button(page, 'Review the changes').click();
    const dialog = page.getByRole('dialog', { name: 'What you changed' });
    await dialog.getByText('+   "max_steps": 3,').waitFor();
    expect((await org.get('/autopilot/settings')).body.draft.max_steps).not.toBe(3);
    await dialog.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByText('The draft differs').waitFor();
    const { draft, published } = (await org.get('/autopilot/settings')).body;
    expect([draft.max_steps, draft.budgets, published.max_steps === 3]).toEqual([3, { day: { tokens: 5000 } }, false]);
    await button(page, 'Publish the draft').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('No other draft').waitFor();
    expect((await org.get('/autopilot/settings')).body.published.max_steps).toBe(3);
    await page.goto(`${stack.url}/console/ai/usage`);
    await page.getByText('Today: 0 of 5,000 tokens').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('previews an answer with its trace, and lists answers with their confidence beside what it answers from', async () => {
    const { page, complaints } = await admin('/ai/preview');
    await page.getByRole('textbox', { name: 'What the customer writes' }).fill(QUESTION);
    await button(page, 'Preview').click();
    const turn = page.getByRole('region', { name: 'What the AI does' });
    await turn.getByText('Refunds arrive within').first().waitFor();
    await turn.getByText('Searched the knowledge').waitFor();
    await turn.getByText(/confidence \d\.\d\d, answered from \d\.\d\d$/).waitFor();
    const { body: session } = await org.post('/chat/sessions', {});
    const { turnId } = await addTurn(stack.db, org, session.id);
    await stack.db.updateTable('ai_turns').set({ score: 1.41 }).where('id', '=', turnId).execute();
    const searched = { step: 2, purpose: 'search' as const, latency_ms: 1 };
    await stack.db
      .insertInto('ai_steps')
      .values({ org_id: org.id, turn_id: turnId, ...searched, detail: '{"score":1.41,"threshold":0.62}' })
      .execute();
    await page.goto(`${stack.url}/console/ai`);
    await page.getByText('Each row is one time that the AI dealt with what a customer wrote.').waitFor();
    await page.getByRole('list', { name: 'Answers' }).getByText('1.41, answered from 0.62').waitFor();
    const tabs = page.getByRole('navigation', { name: 'AI', exact: true }).getByRole('link');
    expect((await tabs.allInnerTexts()).slice(0, 4)).toEqual(['Answers', 'Confirmations', 'Preview', 'Test questions']);
    expect(await page.getByRole('link', { name: 'Open it' }).first().getAttribute('href')).toBe(
      `/console/s/${session.id}`,
    );
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('runs the evals, and says which case failed by which check', async () => {
    const { page, complaints } = await admin('/ai/evals');
    for (const [name, contains] of [
      ['Right', 'five working days'],
      ['Wrong', 'ten years'],
    ] as const) {
      await button(page, 'Add a case').click();
      const dialog = page.getByRole('dialog', { name: 'Add a case' });
      await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
      await dialog.getByRole('textbox', { name: 'What the customer writes' }).fill(QUESTION);
      await dialog.getByRole('combobox').selectOption('answered');
      await dialog.getByRole('textbox', { name: 'What it must say, one a line' }).fill(contains);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('list', { name: 'Cases' }).getByText(name).waitFor();
    }
    await button(page, 'Run the draft').click();
    await page.getByText('1 of 2 passed, 1 failed').waitFor({ timeout: 30_000 });
    await page.getByRole('list', { name: 'Failed cases' }).getByText('ten years').waitFor();
    await button(page, 'How it came about: Wrong').click();
    await page.getByRole('dialog', { name: 'Wrong' }).getByText('Searched the knowledge').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('says which budget could not be read, and reads it again when asked', async () => {
    await org.patch('/autopilot/settings', { budgets: { month: { tokens: 9_000_000 } } });
    await org.post('/autopilot/settings/publish');
    const { page } = await admin('/ai');
    const isUsage = '**/autopilot/usage?**';
    await page.route(isUsage, (route) => route.fulfill({ status: 429, json: { message: 'Too many at once' } }));
    await page.goto(`${stack.url}/console/ai/usage`);
    const budgets = page.getByRole('region', { name: 'Budgets' });
    await budgets.getByText('This month: unknown of 9,000,000 tokens').waitFor();
    await page.unroute(isUsage);
    await budgets.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await budgets.getByText(/^This month: [\d,]+ of 9,000,000 tokens$/).waitFor();
    await budgets.getByRole('alert').waitFor({ state: 'detached' });
    await page.close();
  });

  it('does not ask again and again for a run that is not there', async () => {
    const { page } = await admin('/ai/evals/00000000-0000-7000-8000-000000000000');
    await page.getByText('There is no such run').waitFor();
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/autopilot/evals/runs/')) asked += 1;
    });
    await page.waitForTimeout(5_000);
    expect(asked).toBe(0);
    await page.close();
  });

  it.each(WIDTHS)(
    'has no fault that axe finds on any page at %d px, in either theme',
    async (width) => {
      const website = await siteWithHeldPages(`look${width}`);
      const { body: article } = await org.post('/training', { title: `Look ${width}`, content: '# A\n\n- b\n\n`c`' });
      await org.post('/autopilot/evals', {
        name: `Look ${width}`,
        messages: [{ sender: 'contact', text: QUESTION }],
        checks: { contains: ['nothing'] },
      });
      const { body: run } = await org.post('/autopilot/evals/runs', { settings: 'draft' });
      await eventually('the end of the run', async () => {
        return (await org.get(`/autopilot/evals/runs/${run.id}`)).body.state !== 'running';
      });
      const { items } = (await org.get('/help-center/articles')).body;
      const { page, complaints } = await admin('/knowledge', { width });
      const paths = [
        '/knowledge',
        '/knowledge/articles/new',
        `/knowledge/articles/${article.id}`,
        `/knowledge/articles/${article.id}?tab=versions`,
        '/knowledge/help-center',
        `/knowledge/help-center/${items[0].id}`,
        '/knowledge/websites',
        `/knowledge/websites/${website}`,
        `/knowledge/websites/${website}?tab=pages`,
        '/knowledge/search?q=refund',
        '/ai',
        '/ai/calls',
        '/ai/preview',
        '/ai/evals',
        `/ai/evals/${run.id}`,
        '/ai/usage',
        '/ai/settings',
      ];
      expect(await faultsOf(page, paths, { url: stack.url, width })).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    },
    180_000,
  );

  it.each(['viewer', 'agent'] as const)('offers a %s nothing that the server refuses', async (role) => {
    const website = await siteWithHeldPages(`of-${role}`);
    const { page } = await pages.open(`${role}@acme.example`, '/knowledge', { role });
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    for (const path of [
      '/knowledge',
      `/knowledge/websites/${website}`,
      '/knowledge/search?q=refund',
      '/ai',
      '/ai/evals',
      '/ai/usage',
      '/ai/calls',
      '/ai/preview',
      '/ai/settings',
    ]) {
      await page.goto(`${stack.url}/console${path}`);
      await untilSettled(page);
      for (const name of [
        'New article',
        'Keep the pages',
        'Remove them',
        'Crawl now',
        'Delete',
        'Run the draft',
        'Add a case',
        'Preview',
        'Calibrate now',
        'Review the changes',
      ])
        expect([path, name, await button(page, name).count()]).toEqual([path, name, 0]);
    }
    expect(refused).toEqual([]);
    await page.close();
  });
});
