import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { createOperatorLink } from '../../src/operations/operator/access.service.ts';
import { AT_COMMAND_LINE } from '../../src/operations/operator/actions.service.ts';
import { crawlAgain, crawlSite } from '../crawl/crawling.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { buildConsole, createPages } from '../support/console-pages.ts';
import { type FakeModel, startFakeModel } from '../support/fakes/model.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { type FakeSite, pageOf, startFakeSite } from '../support/fakes/site.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { createEndpoint } from '../webhooks/endpoints.ts';
import { untilSettled } from './stories/routes.ts';

const RUN_BOOK = new URL('../../docs/operations.md', import.meta.url);
const COUNTED_WITHIN_MS = 80_000;
const NOWHERE = '00000000-0000-4000-8000-000000000000';
const PATHS = Array.from({ length: 8 }, (_, n) => `/page-${n}`);

/** Five incidents, each made by what goes wrong outside. The other five are on the operator's page, in `operator.test.ts`. */
(CHROMIUM ? describe : describe.skip)('an incident in a running stack', () => {
  let stack: Stack;
  let receiver: WebhookReceiver;
  let shop: FakeProvider;
  let model: FakeModel;
  let site: FakeSite;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    stack = await startStack({ env: { ...FAKES_ALLOWED, CRAWL_DELAY_MS: '0', CHROMIUM_PATH: 'none' } });
    [receiver, shop, model, site, browser] = await Promise.all([
      startWebhookReceiver(),
      startFakeProvider(),
      startFakeModel(() => ({ text: '<think>The customer wants a refund' })),
      startFakeSite(),
      startBrowser(),
    ]);
    pages = createPages(stack, browser);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([receiver.close(), shop.close(), model.close(), site.close(), browser.close()]);
    await stack.close();
  });

  const active = async (name: string, workflow_blocks: object[], more: object = {}) => {
    const made = await stack.org.post('/workflows', { name, trigger_type: 'manual-trigger', workflow_blocks, ...more });
    expect({ status: made.status, body: made.body }).toMatchObject({ status: 201 });
    await stack.org.post(`/workflows/${made.body.workflow_id}/activate`, {});
    return made.body as { workflow_id: string; webhook_url: string };
  };
  const untilFailed = (workflowId: string, runId: string) =>
    eventually('the failure of a run', async () => {
      const { body } = await stack.org.get(`/workflows/${workflowId}/runs/${runId}`);
      return body.status === 'failed' && body;
    });
  const action = (id: string, type: string, input: object) => ({ $kind: 'Action', id, type, name: id, input });

  const home = async () => {
    const opened = await pages.open('ann@acme.example', '/', { role: 'admin' });
    return { ...opened, needed: opened.page.getByRole('list', { name: 'What needs a person', exact: true }) };
  };
  /** Goes from Home to what an incident is about, once Home tells its cause. */
  const follow = async (name: string | RegExp, cause: string | RegExp): Promise<Page> => {
    const { page, needed } = await home();
    const row = needed.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) });
    await row.getByText(cause).first().waitFor();
    await row.getByRole('link').click();
    return page;
  };
  /** Reads what the operator sees of an incident: its cause, and the remedy, which the run book has under the same title. */
  const expectForOperator = async (title: string, remedy: string, cause = '') => {
    const { url } = await createOperatorLink(stack.db, AT_COMMAND_LINE, stack.url, 'Ann');
    const { page } = await browser.open(url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('list', { name: 'Incidents' }).waitFor();
    await untilSettled(page);
    const row = page.getByRole('list', { name: 'Incidents' }).getByRole('listitem').filter({ hasText: title }).first();
    await row.waitFor({ timeout: COUNTED_WITHIN_MS }); // failed runs are counted once a minute
    const text = (await row.textContent()) ?? '';
    expect([text.includes(remedy), text.includes(cause)]).toEqual([true, true]);
    expect(await readFile(RUN_BOOK, 'utf8')).toContain(`| ${title} |`);
    await page.context().close();
  };

  it('is a workflow that never fires: Home has the error of its constraint, and its page the way to mend it', async () => {
    const endless = {
      reduce: [{ var: 'body.list' }, { merge: [{ var: 'accumulator' }, { var: 'accumulator' }] }, [1]],
    };
    const { webhook_url } = await active(
      'Silent',
      [action('note', 'add-note', { session_id: NOWHERE, text: 'Hello' })],
      {
        trigger_type: 'webhook',
        trigger_constraints: { '>': [{ length: [endless] }, 5] },
      },
    );
    const body = JSON.stringify({ list: Array.from({ length: 60 }, () => 1) });
    const sent = await fetch(webhook_url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect([sent.status, await sent.json()]).toEqual([202, { run_id: null }]);
    const page = await follow('Silent', /too long/);
    await page.getByText('Its constraints could not be evaluated 1 times').waitFor();
    await page.close();
    await expectForOperator(
      'A constraint of a workflow fails, so it does not fire',
      'corrects the constraint',
      'too long',
    );
  });

  it('is a webhook that was disabled: Home says why, and its page enables it and recovers what was held', async () => {
    receiver.answer = (_, response) => void response.writeHead(410).end('gone');
    const { id } = await createEndpoint(stack.org, receiver, { event_types: ['contact.created'] });
    await stack.org.post('/contacts', { contact: { email: 'held@customer.example' } });
    await eventually('the end of the endpoint', async () => !(await stack.org.get(`/webhooks/${id}`)).body.enabled);
    await expectForOperator('A webhook is disabled', 'enables the endpoint and recovers', 'It answered 410');
    const page = await follow(receiver.url, 'It answered 410');
    receiver.answer = (_, response) => void response.writeHead(200).end();
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await page.getByRole('button', { name: 'Disable', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Recover', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await page.close();
    const { needed, page: again } = await home();
    await needed.waitFor({ state: 'attached' });
    expect(await needed.getByText('It answered 410').count()).toBe(0);
    await again.close();
  });

  it('is a model that thinks aloud: Home and the connection say so, and name the model', async () => {
    await stack.org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
    const { workflow_id } = await active('Mood', [action('mood', 'ask-ai', { prompt: 'How angry?' })]);
    const { body } = await stack.org.post(`/workflows/${workflow_id}/trigger`, { input: {} });
    await untilFailed(workflow_id, body.run_id);
    await eventually('the error of the connection', async () => {
      const { items } = (await stack.org.get('/org/attention')).body;
      return items.some(({ kind }: { kind: string }) => kind === 'integration_failing');
    });
    const page = await follow('openai-compatible (llm)', 'only thought aloud');
    await page.getByText('Failing', { exact: true }).waitFor();
    const named = page.getByRole('textbox', { name: 'Model' }).first();
    await named.waitFor();
    expect(await named.inputValue()).toBe(model.settings.model);
    await page.close();
    await expectForOperator('A connection is refused', 'another model');
  });

  it('is a crawl that found a third of the pages gone: Home leads to its report, where a person decides', async () => {
    site.pages.set('/', pageOf('Shop', { links: PATHS }));
    for (const path of PATHS) site.pages.set(path, pageOf(`Page ${path}`, { links: ['/'] }));
    const { id } = await crawlSite(stack.org, { url: `${site.url}/` });
    for (const path of PATHS.slice(0, 3)) site.pages.set(path, { status: 404 });
    await crawlAgain(stack.org, id);
    expect(await crawlAgain(stack.org, id)).toMatchObject({ held_pages: 3, removed_pages: 0 });
    await expectForOperator('A crawl holds back removals', 'approves or keeps');
    const page = await follow(site.host, '3');
    await page.getByText('3 removals are held').waitFor();
    await page.getByRole('button', { name: 'Keep the pages' }).click();
    await page.getByText('3 removals are held').waitFor({ state: 'detached' });
    await page.close();
    const { items } = (await stack.org.get('/org/attention')).body;
    expect(items.filter(({ kind }: { kind: string }) => kind === 'held_removals')).toEqual([]);
  });

  it('is a run that failed after its effect: its page shows what was done, and a retry does not do it again', async () => {
    const { workflow_id } = await active('Charge', [
      action('charge', 'send-webhook', { url: `${shop.url}/charge`, method: 'POST', body: {} }),
      action('note', 'add-note', { session_id: NOWHERE, text: 'Charged' }),
    ]);
    const { body } = await stack.org.post(`/workflows/${workflow_id}/trigger`, { input: {} });
    await untilFailed(workflow_id, body.run_id);
    const page = await follow('Charge', 'Runs failed');
    await page
      .getByRole('link', { name: /Charge/ })
      .last()
      .click();
    const steps = page.getByRole('list', { name: 'Steps' });
    await steps.getByRole('button', { name: /charge.*: Completed/ }).waitFor();
    await page.getByText('Session not found').first().waitFor();
    const { body: session } = await stack.org.post('/chat/sessions', {});
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'session_id' }).fill(session.id);
    await page.getByRole('button', { name: 'Retry with this input' }).click();
    await page.getByRole('heading', { level: 1 }).getByText('Completed').waitFor();
    expect(shop.calls.filter(({ path }) => path === '/charge')).toHaveLength(1);
    await page.close();
    const { workflow_id: other } = await active('Charge too', [
      action('note', 'add-note', { session_id: NOWHERE, text: 'Charged' }),
    ]);
    const { body: failed } = await stack.org.post(`/workflows/${other}/trigger`, { input: {} });
    await untilFailed(other, failed.run_id);
    await expectForOperator('Runs of a workflow failed in the last week', 'whether it may have taken effect');
  });
});
