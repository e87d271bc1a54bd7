import { addAiMessage } from '../../../src/conversations/ai/service.ts';
import { lockSession } from '../../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { addTurn } from '../../ai/calls/calling.ts';
import { startHostPage } from '../../embed/host-page.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { CHROMIUM, type OpenedPage, startBrowser } from '../../support/chromium.ts';
import { startConsole, type TestConsole } from '../../support/console.ts';
import { mailOf } from '../../support/mails.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const DOMAIN = 'in.acme.example';
/** Each shows itself where it runs: as HTML, in an attribute, in a script, as a link, in a style and as markdown. */
const HOSTILE = [
  '<img src=x onerror="window.isBroken=1">',
  `"'><script>window.isBroken=1</script>`,
  '</textarea></title></style><svg onload=window.isBroken=1>',
  '<iframe srcdoc="<script>parent.isBroken=1</script>"></iframe>',
  '[open](javascript:window.isBroken=1) ![x](javascript:window.isBroken=1)',
  '{{constructor.constructor("window.isBroken=1")()}}',
].join(' ');
/** Names are shorter. */
const NAME = `<img src=x onerror="window.isBroken=1">"'`;
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const MAIL = `<p>The original</p><img src="https://tracker.example/1.gif" onerror="window.isBroken=1"><script>top.isBroken=1</script>
<a href="javascript:top.isBroken=1">a link</a><form action="/logout" method="post"><button>a form</button></form>
<style>@import url(https://tracker.example/1.css);</style><svg><script>top.isBroken=1</script></svg><base href="https://evil.example/">
<meta http-equiv="refresh" content="0;url=https://evil.example/"><iframe src="https://evil.example/"></iframe><p style="background:url(https://tracker.example/2.gif)">end</p>`;

(CHROMIUM ? describe : describe.skip)('what strangers write', () => {
  let stack: Stack;
  let org: TestOrg;
  let inbox: TestConsole;
  beforeAll(async () => {
    stack = await startStack({
      env: { ...FAKES_ALLOWED, HOST: '127.0.0.1', INBOUND_DOMAIN: DOMAIN, INBOUND_SMTP_PORT: '0', DEVELOPMENT: 'true' },
    });
    org = await stack.createOrg();
    inbox = await startConsole(stack, org);
  }, 120_000);
  afterAll(async () => {
    await inbox.close();
    await stack.close();
  });

  /** Nothing has run, and the browser has nothing to complain of. */
  const expectHarmless = async ({ page, complaints }: Pick<OpenedPage, 'page' | 'complaints'>) => {
    for (const frame of page.frames())
      if (frame.parentFrame() === null) expect(await frame.evaluate('window.isBroken')).toBeUndefined();
    expect(complaints).toEqual([]);
    expect(page.url()).toContain(stack.url);
  };

  /** Has the AI say a text with sources, as a turn does. */
  const sayByAi = async (id: string) => {
    const turn = await addTurn(stack.db, org, id);
    await inTransaction(stack.db, async (trx) => {
      const session = await lockSession(trx, org.id, id);
      const citations = [
        { item_id: newId(), title: HOSTILE, url: 'javascript:window.isBroken=1', quote: HOSTILE },
        {
          item_id: newId(),
          title: HOSTILE,
          url: 'https://shop.example/"><script>window.isBroken=1</script>',
          quote: null,
        },
      ];
      const said = { id: newId(), text: HOSTILE, agent: HOSTILE, turnId: turn.turnId, citations, calls: [] };
      await addAiMessage(trx, stack.deps.sending, org.id, session, said);
    });
  };

  /** Makes a session whose every field says something hostile. Returns its id. */
  const hostileSession = async () => {
    const contact = { name: NAME, email: `${newId()}@customer.example`, custom_data: { [NAME]: HOSTILE } };
    const { body: created } = await org.post('/contacts', { contact });
    const { body } = await org.post('/chat/sessions', { contact_id: created.id });
    const fields = { custom_data: { page_title: HOSTILE, [NAME]: HOSTILE } };
    expect((await org.patch(`/chat/sessions/${body.id}`, fields)).status).toBe(200);
    const attachments = [{ name: `${NAME}.png`, base64: PNG }];
    const message = { type: 'text', text: HOSTILE, attachments };
    expect((await org.post(`/chat/sessions/${body.id}/send`, { sender: 'contact', message })).status).toBe(201);
    await org.post(`/chat/sessions/${body.id}/send`, {
      sender: 'agent',
      agent: { name: NAME },
      message: { type: 'text', text: HOSTILE },
    });
    await sayByAi(body.id);
    await org.put('/tags', { tag_name: NAME });
    await org.post(`/chat/sessions/${body.id}/tags`, { tags: [NAME] });
    await org.post(`/chat/sessions/${body.id}/notes`, { text: HOSTILE });
    await org.post('/saved-replies', { shortcut: 'hostile', title: NAME, text: HOSTILE.replace('{{', '') });
    await org.post('/views', { name: NAME, query: { q: HOSTILE.slice(0, 200) }, shared: 'org' });
    await org.post('/teams', { name: NAME });
    return body.id as string;
  };

  it('is text on every page, in every menu and dialog of the console', async () => {
    const id = await hostileSession();
    const opened = await inbox.open('root@acme.example', id, { role: 'admin' });
    const { page, log, reply, button } = opened;
    await log.getByText('onerror').first().waitFor();
    for (const one of await log.locator('summary').all()) await one.click();
    await log.getByText('2 sources').waitFor();
    for (const name of ['Assign', 'Tags', 'Snooze', 'More']) {
      await button(name).first().click();
      await page.getByRole('dialog', { name }).waitFor();
      await page.keyboard.press('Escape');
    }
    await reply.pressSequentially('/host');
    await page.getByRole('option', { name: /onerror/ }).waitFor();
    await reply.press('Enter');
    await page.getByText(/Draft stored/).waitFor();
    await reply.fill('');
    await page.getByRole('checkbox').first().check();
    await page.getByRole('region', { name: 'Selected conversations' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${stack.url}/console/inbox?${new URLSearchParams({ view: 'all', tag: NAME, q: HOSTILE })}`);
    await page
      .getByRole('button', { name: /^Remove the filter/ })
      .first()
      .waitFor();
    await page.goto(`${stack.url}/console/inbox?view=all`);
    await page
      .getByRole('link', { name: /onerror/ })
      .first()
      .waitFor();
    await page.keyboard.press('f');
    await page.getByRole('group', { name: 'Filters' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('onerror');
    await page
      .getByRole('dialog')
      .getByRole('option', { name: /onerror/ })
      .first()
      .waitFor();
    await expectHarmless(opened);
    await page.close();
  });

  it('is an e-mail with its text first, and its HTML in a frame that runs and loads nothing', async () => {
    const inboxAddress = `support@${DOMAIN}`;
    expect((await org.put('/email/inboxes', { address: inboxAddress })).status).toBe(200);
    const raw = mailOf(
      {
        From: `${NAME.replaceAll('"', '')} <eve@evil.example>`,
        To: inboxAddress,
        Subject: NAME,
        'Content-Type': 'text/html',
      },
      MAIL,
    );
    const headers = { authorization: `Bearer ${org.key}`, 'content-type': 'message/rfc822' };
    expect((await fetch(`${stack.url}/email/inbound`, { method: 'POST', headers, body: raw })).status).toBe(202);
    const id = await eventually('the session of the mail', async () => {
      const { body } = await org.get('/chat/sessions?channel_type=email');
      return body.items[0]?.id as string | undefined;
    });
    const opened = await inbox.open('ann@acme.example', id);
    const { page, log, button } = opened;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).host));
    expect(await page.locator('iframe').count()).toBe(0);
    await button('Show original').click();
    const frame = page.frameLocator('iframe[title="The e-mail as it came"]');
    await frame.getByText('The original').waitFor();
    await log.getByText('Show 1 picture').waitFor();
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-popups allow-popups-to-escape-sandbox');
    expect(
      await frame.locator('script, style, form, meta[http-equiv=refresh], iframe, svg, img, [style]').count(),
    ).toBe(0);
    expect(await frame.getByText('a link').getAttribute('href')).toBeNull();
    await log.getByText('Show 1 picture').click();
    await log.getByText('Show 1 picture').waitFor({ state: 'detached' });
    expect(new Set(asked)).toEqual(new Set([new URL(stack.url).host]));
    const ours = opened.complaints.filter((line) => !line.includes('422'));
    await expectHarmless({ page, complaints: ours });
    await page.close();
  });

  it('is text in the widget, whoever writes it', async () => {
    const [host, browser] = await Promise.all([startHostPage(stack.url, org.widgetToken), startBrowser()]);
    await org.put('/widget/settings', { greeting: HOSTILE.slice(0, 200), ai: { name: NAME } });
    const { page, complaints } = await browser.open(host.at());
    await page.locator('button.launcher').click();
    await page.getByRole('textbox').fill(HOSTILE);
    await page.keyboard.press('Enter');
    const id = await eventually('a session', () =>
      page
        .evaluate<string>(`JSON.parse(localStorage.getItem('switchboard:${org.widgetToken}') ?? '{}').session ?? ''`)
        .then((one) => one || undefined),
    );
    await sayByAi(id);
    const attachments = [{ name: `${NAME}.png`, base64: PNG }];
    const message = { type: 'text', text: `${HOSTILE} the last one`, attachments };
    const sent = await org.post(`/chat/sessions/${id}/send`, { sender: 'agent', agent: { name: NAME }, message });
    expect(sent.status).toBe(201);
    await page.getByText('the last one').waitFor();
    await page.locator('.sources').first().waitFor();
    expect(await page.evaluate('window.isBroken')).toBeUndefined();
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    expect([complaints, host.violations]).toEqual([[], []]);
    await browser.close();
    await host.close();
  });
});
