import type { Locator } from 'playwright-core';
import { createOperatorLink } from '../../../src/operations/operator/access.service.ts';
import { AT_COMMAND_LINE } from '../../../src/operations/operator/actions.service.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { CHROMIUM, type OpenedPage, startBrowser } from '../../support/chromium.ts';
import { buildConsole, createPages } from '../../support/console-pages.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { chat, DOMAIN, type Fakes, form, instagram, mail, reader, survey, webhook, website } from './arrivals.ts';
import { hostile, shown } from './hostile.ts';
import { assistant, audited, desk, evalCase, handoff, insight, person, provider, turn } from './stored.ts';

const VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Against the policy: ' + event.violatedDirective + ' ' + event.blockedURI))`;
/** What a text becomes that is taken for HTML or for a link. */
const MADE = 'img[src="x"], svg[onload], [onerror], a[href^="javascript" i]';

const SHOWN_WITHIN_MS = 4_000;

/** A page, the fields whose texts it shows, and what is pressed until it shows them. A stored name of a file has other signs. */
type Visit = [address: string, texts: (string | RegExp)[], ...pressed: (string | RegExp)[]];

(CHROMIUM ? describe : describe.skip)('what strangers have written in any field', () => {
  let stack: Stack;
  let org: TestOrg;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let visits: Visit[];
  const fakes: Fakes = [];
  beforeAll(async () => {
    await buildConsole();
    [stack, browser] = await Promise.all([
      startStack({
        env: {
          ...FAKES_ALLOWED,
          HOST: '127.0.0.1',
          INBOUND_DOMAIN: DOMAIN,
          INBOUND_SMTP_PORT: '0',
          DEVELOPMENT: 'true',
          CRAWL_DELAY_MS: '0',
          CHROMIUM_PATH: 'none',
        },
      }),
      startBrowser(),
    ]);
    org = await stack.createOrg();
    visits = await plant();
  }, 120_000);
  afterAll(async () => {
    await Promise.all([browser.close(), ...fakes.map((fake) => fake.close())]);
    await stack.close();
  });

  /** Has strangers fill all fields that they can. Returns the pages that show them. */
  async function plant(): Promise<Visit[]> {
    const { contactId, otherId, sessionId } = await person(org);
    await evalCase(org, sessionId);
    const [websiteId, articleId, run] = await Promise.all([website(org, fakes), reader(org), form(org, fakes)]);
    const [chatId, mailId, instagramId, webhookId] = [
      await chat(stack, org),
      await mail(stack, org),
      await instagram(org, fakes),
      await webhook(org, fakes),
    ];
    const crawls = await org.get(`/crawl/${websiteId}/crawls`);
    const turnId = await turn(stack, org, sessionId);
    await handoff(stack, org, sessionId);
    await desk(stack, org);
    const insightId = await insight(stack, org, sessionId);
    const { deliveryId, sequenceId } = await provider(stack, org, contactId);
    const requestId = await assistant(org, sessionId);
    await audited(org);
    return [
      ['/', ['contact-name', 'integration-error', 'paused-reason']],
      ['/inbox?view=all', ['contact-name', 'visitor-name', 'mail-name', 'instagram-text']],
      [`/s/${sessionId}`, ['message-text', 'contact-name', 'data-name', 'data-value', 'call-order']],
      [`/s/${sessionId}`, ['cited-title', 'quote'], '1 source'],
      [`/s/${sessionId}`, ['passage-title', 'searched-words', 'model-problem', 'dropped-text'], 'How it came about'],
      [`/s/${sessionId}`, ['handoff-reason', 'handoff-summary', 'chat-summary'], 'Summary'],
      [`/s/${chatId}`, ['visitor-text', 'visitor-page', 'visitor-name', 'visitor-plan', /visitor-file/]],
      [`/s/${mailId}`, ['mail-name', 'mail-text', /mail-file/]],
      [`/s/${instagramId}`, ['instagram-text']],
      ['/contacts', ['contact-name', 'crm-contact-id', 'mail-name', 'event-name']],
      [`/contacts/${contactId}`, ['contact-name', 'crm-contact-id', 'data-name', 'data-value']],
      [`/contacts/${contactId}?merge=choose`, ['other-name']],
      [`/contacts/${contactId}?merge=${otherId}`, ['other-name', 'other-crm-id']],
      ['/outbound/deliveries', ['delivery-reason']],
      [`/outbound/deliveries?open=${deliveryId}`, ['delivery-reason', 'provider-answer']],
      ['/outbound', ['paused-reason']],
      [`/outbound/${sequenceId}`, ['paused-reason', 'contact-name']],
      [`/automations/runs/${run.runId}`, ['form-answer']],
      [`/automations/runs/${run.runId}?step=0`, ['webhook-answer']],
      [`/knowledge/websites/${websiteId}`, ['title-of-b', 'title-of-c']],
      [`/knowledge/websites/${websiteId}?crawl=${crawls.body.items[1].id}`, [/page-text/], 'What changed'],
      [`/knowledge/websites/${websiteId}?tab=pages`, ['title-of-a', 'title-of-b']],
      ['/knowledge/search?q=now it says more of that', ['title-of-a', /page-text/]],
      [`/knowledge/help-center/${articleId}`, ['feedback-text']],
      [`/ai?open=${turnId}`, ['passage-title', 'searched-words', 'model-problem', 'dropped-text']],
      ['/ai/calls', ['call-name', 'call-reason']],
      ['/ai/evals', ['message-text']],
      ['/insights', ['insight-0', 'insight-1']],
      [`/insights/${insightId}`, ['insight-0', 'said-0', 'statement-0']],
      ['/insights/proposals', ['insight-0', 'insight-1']],
      ['/analytics?show=csat', ['csat-comment']],
      ['/settings/audit', ['tag-name']],
      [`/assistants?id=${requestId}`, ['assistant-text']],
      [`/settings/webhooks/${webhookId}`, ['receiver-answer', 'event-name'], /^Show contact\.created/],
      ['/settings/data', ['import-reason']],
      ['/settings/integrations', ['integration-error']],
      ['/settings/integrations/crm', ['integration-error']],
    ];
  }

  /** Goes to a page. Returns what it does not show as text, and what ran or was made of it. */
  async function faultsOf({ page, complaints }: OpenedPage, [address, texts, ...pressed]: Visit): Promise<string[]> {
    complaints.length = 0;
    const faults: string[] = [];
    const expectShown = (text: string | RegExp, locator: Locator) =>
      locator
        .filter({ visible: true })
        .first()
        .waitFor({ timeout: SHOWN_WITHIN_MS })
        .catch(() => faults.push(`${address} does not show ${text}`));
    await page.goto(`${stack.url}${address}`);
    for (const name of pressed) {
      const control = page.getByRole('button', { name }).or(page.getByText(name));
      await expectShown(name, control);
      if (faults.length === 0) await control.filter({ visible: true }).first().click();
    }
    await Promise.all(
      texts.map((text) => expectShown(text, page.getByText(typeof text === 'string' ? shown(text) : text))),
    );
    if (await page.evaluate('window.isBroken !== undefined')) faults.push(`${address} has run a script`);
    if ((await page.locator(MADE).count()) > 0) faults.push(`${address} has made elements of a text`);
    return [...faults, ...complaints.map((line) => `${address}: ${line}`)];
  }

  it('is text on every page of the console that shows it', async () => {
    const pages = createPages({ url: stack.url, partner: stack.partner, org }, browser);
    const opened = await pages.open('root@acme.example', '/', { role: 'admin' });
    await opened.page.addInitScript(VIOLATIONS);
    const faults: string[] = [];
    for (const [address, ...more] of visits) faults.push(...(await faultsOf(opened, [`/console${address}`, ...more])));
    expect(faults).toEqual([]);
    await opened.page.close();
  }, 90_000);

  it('is text in the search, in the notifications and for the operator', async () => {
    const pages = createPages({ url: stack.url, partner: stack.partner, org }, browser);
    const opened = await pages.open('root@acme.example', '/', { role: 'admin' });
    const { id } = await pages.memberNamed('root@acme.example');
    const { body } = await org.get('/chat/sessions?channel_type=email');
    await org.post(`/chat/sessions/${body.items[0].id}/assign`, { assignee_id: id });
    await opened.page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    await opened.page.getByRole('dialog', { name: 'Notifications' }).getByText(shown('mail-name')).waitFor();
    await opened.page.keyboard.press('Escape');
    await opened.page.keyboard.press('Control+k');
    for (const name of ['contact-name', 'mail-name', 'message-text']) {
      await opened.page.getByRole('combobox', { name: 'Go to, search or do' }).fill(name);
      await opened.page.getByRole('option').getByText(shown(name)).first().waitFor();
    }
    expect([await opened.page.locator(MADE).count(), opened.complaints]).toEqual([0, []]);
    await opened.page.close();
    const { url } = await createOperatorLink(stack.db, AT_COMMAND_LINE, stack.url, 'Ann');
    const operator = await browser.open(url);
    await operator.page.getByRole('button', { name: 'Sign in' }).click();
    await operator.page.getByRole('heading', { name: 'Operator', exact: true }).waitFor();
    expect(await faultsOf(operator, ['/console/operator', ['integration-error', 'paused-reason']])).toEqual([]);
    await operator.page.context().close();
  }, 60_000);

  it('is text on the pages for customers', async () => {
    const { body } = await org.get('/chat/sessions?channel_type=email');
    const search = `${stack.url}/help/${org.id}?q=${encodeURIComponent(hostile('searched'))}`;
    const pages = [
      { url: search, role: 'searchbox', field: 'searched' },
      { url: await survey(stack, org, body.items[0].id), role: 'textbox', field: 'survey-comment' },
    ] as const;
    for (const { url, role, field } of pages) {
      const { page, complaints } = await browser.open(url);
      const written = await page.getByRole(role).inputValue();
      const faults = [
        await page.evaluate('window.isBroken !== undefined'),
        await page.locator(MADE).count(),
        complaints,
      ];
      expect([written.startsWith(shown(field)), ...faults]).toEqual([true, false, 0, []]);
      await page.context().close();
    }
  }, 30_000);
});
