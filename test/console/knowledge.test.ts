import { listUnembedded, upsertRefusal, upsertVectors } from '../../src/knowledge/embedding/queries.ts';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { buildConsole, createPages } from '../support/console-pages.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

(CHROMIUM ? describe : describe.skip)('knowledge in the console', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    [api, browser] = await Promise.all([startApi(), startBrowser()]);
    pages = createPages(api, browser);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  it('has an article written, previewed, published, found by the search, read by a viewer and deleted', async () => {
    const { page, complaints } = await pages.open('ann@acme.example', '/knowledge', { role: 'admin' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByText('No article yet').waitFor();
    await page.getByRole('link', { name: 'New article' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Refunds');
    const text = page.getByRole('textbox', { name: 'Text, as Markdown' });
    await text.fill('## How long\n\nRefunds take **five** days. <script>x</script> [bad](javascript:alert)');
    const shown = page.getByRole('region', { name: 'How it looks' });
    await shown.getByRole('heading', { name: 'How long' }).waitFor();
    await shown.getByText('<script>x</script>').waitFor();
    expect(await shown.getByRole('link').count()).toBe(0);
    await page.reload();
    expect(await text.inputValue()).toContain('Refunds take');
    await button('Save as a draft').click();
    await page.getByText('Draft', { exact: true }).waitFor();
    expect((await api.org.get('/training')).body.items).toMatchObject([{ title: 'Refunds', is_draft: true }]);
    await button('Publish').click();
    await page.getByText('Published, version 1').waitFor();
    const { pathname } = new URL(page.url());
    await page.goto(`${api.url}/console/knowledge/search?q=How long does a refund take`);
    const passages = page.getByRole('list', { name: 'Passages' });
    await passages.getByText('Refunds take').first().waitFor();
    await passages.getByText(/^Words \d/).click();
    await page.getByText(/from a confidence of/).waitFor();
    const viewer = await pages.open('vic@acme.example', pathname.replace('/console', ''), { role: 'viewer' });
    await viewer.page.getByRole('heading', { name: 'How long' }).waitFor();
    expect(await viewer.page.getByRole('main').getByRole('button').count()).toBe(0);
    await viewer.page.close();
    await page.goto(`${api.url}${pathname}`);
    await button('Delete').click();
    const dialog = page.getByRole('dialog', { name: 'Delete “Refunds”' });
    await dialog.getByText('cannot be undone').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await api.org.get('/training')).body.items).toHaveLength(1);
    await button('Delete').click();
    await dialog.getByRole('button', { name: 'Delete the article' }).click();
    await page.getByText('No article yet').waitFor();
    expect((await api.org.get('/training')).body.items).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows how far the first embedding is, without a reload, and how many passages were left out', async () => {
    for (const title of ['One', 'Two', 'Three'])
      await api.org.post('/training', { title, content: `${title} is a number.` });
    const settings = { base_url: 'https://llm.example/v1', api_key: 'sk', model: 'm', embedding_model: 'small' };
    await api.org.put('/integrations/llm', { provider: 'openai-compatible', settings });
    const { page } = await pages.open('emil@acme.example', '/knowledge/search', { role: 'admin' });
    await page.getByText('0 of 3 passages are embedded by small').waitFor();
    const chunks = await listUnembedded(api.db, api.org.id, 'small', { after: 0, limit: 3 });
    const [first = 0, ...others] = chunks.map(({ id }) => id);
    await upsertVectors(api.db, api.org.id, 'small', [{ chunk_id: first, vector: Buffer.alloc(8, 1) }]);
    await page.getByText('1 of 3 passages').waitFor();
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('1');
    for (const chunk_id of others)
      await upsertRefusal(api.db, api.org.id, 'small', { chunk_id, reason: 'The AI provider answered 422' });
    await page.getByText('2 passages are found by words alone').waitFor();
    await page.getByText('1 of 3 passages are embedded by small. Until it has been through all').waitFor();
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('3');
    await page.getByRole('link', { name: 'Model connection' }).click();
    await page.waitForURL('**/settings/integrations/llm');
    await page.close();
  });
});
