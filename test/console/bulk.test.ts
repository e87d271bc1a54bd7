import type { Page } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { repair } from '../../src/repair/repair.ts';
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
    const ended = page.getByRole('region', { name: 'Snooze' });
    await ended.getByText(/closed.*Unknown visitor/).waitFor();
    await ended.getByRole('link', { name: 'Unknown visitor' }).click();
    await page.waitForURL(`**/console/s/${ids[2]}**`);
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

  it('names the runs that refused a job, and leads to each', async () => {
    const { body } = await stack.org.post('/workflows', {
      name: 'Quick',
      trigger_type: 'manual-trigger',
      workflow_blocks: [],
    });
    await stack.org.post(`/workflows/${body.workflow_id}/activate`, {});
    const { run_id } = (await stack.org.post(`/workflows/${body.workflow_id}/trigger`, { input: {} })).body;
    const runStatus = async () => (await stack.org.get(`/runs/${run_id}`)).body.status;
    await eventually('the end of the run', async () => (await runStatus()) === 'completed');
    const { page } = await pages.open('cleo@acme.example', '/automations/runs', { role: 'admin' });
    await page.getByRole('checkbox').first().waitFor();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('button', { name: 'Retry them' }).click();
    await page.getByRole('status').getByText('Retry: 0 done, 1 not').waitFor({ timeout: 30_000 });
    await page.getByRole('region', { name: 'Retry' }).getByRole('link').click();
    await page.waitForURL(`**/console/automations/runs/${run_id}`);
    await page.close();
  });

  it('says why unknown deliveries were not settled by a job, and leads to each', async () => {
    const [id, jobId] = [newId(), newId()];
    const to = { org_id: stack.org.id, channel: 'sms', to: '+4915112345678' } as const;
    await stack.db
      .insertInto('deliveries')
      .values({ ...to, id, status: 'unknown', reason: 'the connection broke' })
      .execute();
    const job = { org_id: stack.org.id, id: jobId, user_id: null, outcome: 'sent' as const, total: 1, ended_at: null };
    await stack.db.insertInto('delivery_jobs').values(job).execute();
    const item = { org_id: stack.org.id, job_id: jobId, delivery_id: id, error: null };
    await stack.db.insertInto('delivery_job_items').values(item).execute();
    const { page } = await pages.open('cleo@acme.example', '/outbound/deliveries', { role: 'admin' });
    await page.evaluate(`localStorage.setItem('switchboard-delivery-job-${stack.org.id}', '${jobId}')`);
    await page.reload();
    const bar = page.getByRole('region', { name: 'Settling unknown deliveries' });
    await bar.getByText('0 of 1 settled').waitFor();
    await stack.org.post(`/deliveries/${id}/resolve`, { outcome: 'failed' });
    await repair(stack.db, stack.temporal, { isDryRun: false });
    await bar.getByText('Only a delivery that is unknown can be settled by hand').waitFor();
    await bar.getByRole('link').click();
    await page.getByRole('dialog', { name: 'Delivery' }).getByText('settled by hand').waitFor();
    await page.close();
  });
});
