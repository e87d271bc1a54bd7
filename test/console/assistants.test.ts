import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { buildConsole, createPages, violationsIn } from '../support/console-pages.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

(CHROMIUM ? describe : describe.skip)('requests of assistants in the console', () => {
  let api: TestApi;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    await buildConsole();
    [api, browser] = await Promise.all([startApi(), startBrowser()]);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  /** Has an assistant ask to write into a conversation. Returns the address that it shows. */
  async function ask(sessionId: string, text: string): Promise<string> {
    const params = { name: 'send_message', arguments: { id: sessionId, text } };
    const headers = { accept: 'application/json, text/event-stream' };
    const { body } = await api.org.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { headers });
    return /\/console(\/assistants\?id=\S+)\./.exec(JSON.stringify(body))?.[1] ?? '';
  }

  it('are confirmed and rejected, at any width and in both themes', async () => {
    const pages = createPages(api, browser);
    await (await pages.open('ann@acme.example', '/inbox')).page.close();
    const id = await pages.conversation('Ann Smith');
    const [member] = (await api.org.get('/members')).body;
    await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: member.id });
    const path = await ask(id, 'Your parcel comes on Friday.');
    await ask(id, 'Your parcel is lost.');
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [380, 'dark'],
    ] as const) {
      const { page, complaints } = await pages.open('ann@acme.example', path, {
        viewport: { width, height: 800 },
        colorScheme,
      });
      await page.getByText('Your parcel comes on Friday.').waitFor();
      await page.getByText('Your parcel is lost.').waitFor();
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/assistants-${width}.png` });
      expect(await violationsIn(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    }
    const viewer = await pages.open('vic@acme.example', path, { role: 'viewer' });
    await viewer.page.getByText('Your parcel comes on Friday.').waitFor();
    expect(await viewer.page.getByRole('main').getByRole('button').count()).toBe(0);
    await viewer.page.close();
    const { page } = await pages.open('ann@acme.example', '/inbox');
    await page.getByRole('button', { name: /Notifications/ }).click();
    await page.getByText('An assistant waits for a confirmation with Ann Smith').last().click();
    const requests = page.getByRole('listitem', { name: 'Send a message to the contact' });
    await requests.filter({ hasText: 'Friday' }).getByRole('button', { name: 'Confirm' }).click();
    await requests.filter({ hasText: 'Friday' }).getByText('Done').waitFor();
    await requests.filter({ hasText: 'lost' }).getByRole('button', { name: 'Reject' }).click();
    await requests.filter({ hasText: 'lost' }).waitFor({ state: 'detached' });
    const { body } = await api.org.get(`/chat/sessions/${id}/history`);
    expect(JSON.stringify(body)).toContain('comes on Friday');
    expect(JSON.stringify(body)).not.toContain('is lost');
    await page.close();
  });
});
