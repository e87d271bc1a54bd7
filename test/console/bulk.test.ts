import type { Page } from 'playwright-core';
import { signIn } from '../sign-in/signing-in.ts';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { buildConsole, createPages } from '../support/console-pages.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

(CHROMIUM ? describe : describe.skip)('many conversations at once in the console', () => {
  let stack: Stack;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    stack = await startStack();
    browser = await startBrowser();
    pages = createPages(stack, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  const newSessions = (count: number, channel: string) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const { body } = await stack.org.post('/chat/sessions', { channel: { type: channel } });
        return body.id as string;
      }),
    );
  const choose = async (page: Page, menu: string, choice: string) => {
    await page.getByRole('button', { name: menu }).click();
    await page.getByRole('dialog', { name: menu }).getByText(choice, { exact: true }).click();
  };
  const statusOf = async (id: string) => (await stack.org.get(`/chat/sessions/${id}`)).body.status;

  it('changes those that are selected, and says which refused', async () => {
    await signIn(stack, 'agent');
    const ids = await newSessions(3, 'sms');
    await stack.org.put('/tags', { tag_name: 'refund' });
    const { page, complaints } = await pages.open('ann@acme.example', '/inbox?view=all&channel=sms');
    const boxes = page.getByRole('checkbox');
    await boxes.nth(2).waitFor();
    await boxes.nth(0).click();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await choose(page, 'Tag them', 'refund');
    await page.getByRole('status').getByText('Tag refund: 3 done').waitFor();
    expect((await stack.org.get(`/chat/sessions/${ids[0]}`)).body.tags).toEqual(['refund']);
    await stack.db
      .updateTable('sessions')
      .set({ status: 'closed_resolved' })
      .where('id', '=', ids[2] as string)
      .execute();
    await boxes.nth(0).click();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    await choose(page, 'Snooze them', 'Until a reply');
    await page.getByRole('status').getByText('Snooze: 2 done, 1 not').waitFor();
    await page
      .getByRole('region', { name: 'Snooze' })
      .getByText(/closed.*Unknown visitor/)
      .waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('changes all of a view by a job whose bar is there again after a reload', async () => {
    const ids = await newSessions(60, 'email');
    const others = await newSessions(1, 'whatsapp');
    const { page } = await pages.open('bo@acme.example', '/inbox?view=all&channel=email');
    await page.getByRole('checkbox').first().waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText('All of the view').waitFor();
    await choose(page, 'Close them', 'Close as resolved');
    await page.getByRole('dialog').getByRole('button', { name: 'Close as resolved' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.reload();
    await page.getByRole('status').getByText('Close as resolved: 60 done').waitFor({ timeout: 30_000 });
    await eventually('the end', async () => (await statusOf(ids[59] as string)) === 'closed_resolved');
    expect(await Promise.all([ids[0], others[0]].map((id = '') => statusOf(id)))).toEqual(['closed_resolved', 'open']);
    await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();
    await page.close();
  });
});
