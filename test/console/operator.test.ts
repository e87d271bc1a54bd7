import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { createOperatorLink } from '../../src/operations/operator/access.service.ts';
import { AT_COMMAND_LINE } from '../../src/operations/operator/actions.service.ts';
import { CHROMIUM, overflowOf, startBrowser, WIDTHS } from '../support/chromium.ts';
import { buildConsole, createPages, violationsIn } from '../support/console-pages.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { untilSettled } from './stories/routes.ts';

interface State {
  sending: { state: 'running' | 'paused' };
}

const FILTER = { or: [{ and: [{ type: 'all_contacts' }] }] };
const SMS = { delay_in_minutes: 0, action: { type: 'send_sms_messages', data: { message: 'Hello' } } };

(CHROMIUM ? describe : describe.skip)("the operator's page", () => {
  let stack: Stack;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    await buildConsole();
    [stack, browser] = await Promise.all([
      startStack({ env: { TEMPORAL_UI_URL: 'https://temporal.example' } }),
      startBrowser(),
    ]);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  const openAsOperator = async (width: number, scheme: 'light' | 'dark' = 'light') => {
    const { url } = await createOperatorLink(stack.db, AT_COMMAND_LINE, stack.url, 'Ann');
    const opened = await browser.open(url, { width, colorScheme: scheme });
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.getByRole('heading', { name: 'Operator', exact: true }).waitFor();
    await untilSettled(opened.page);
    return opened;
  };
  const rowWith = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

  /** Plants what goes wrong in an installation, as it is stored when it goes wrong. */
  const plant = async () => {
    const org = await stack.createOrg('Acme');
    const { body: sequence } = await org.post('/sequences', { filter: FILTER, steps: [SMS], name: 'Welcome' });
    await sql`update sequences set status = 'paused', paused_at = now(), paused_reason = 'No SMS sender is connected'
      where id = ${sequence.id}`.execute(stack.db);
    await sql`insert into integrations (org_id, kind, provider, settings, connected, failing_since, last_error)
      values (${org.id}, 'crm', 'hubspot', '{}', false, now(), 'HubSpot 401 INVALID_AUTHENTICATION')`.execute(stack.db);
    await sql`insert into sending_domains (org_id, id, domain, selector, public_key, private_key, status, checked_at)
      values (${org.id}, ${newId()}, 'mail.acme.example', 's', 'k', 'p', 'failed', now())`.execute(stack.db);
    const { rows } = await sql<{ id: string }>`
      insert into outbox (org_id, kind, type, subject_id, payload, attempts, interruptions, last_error, available_at)
      values (${org.id}, 'event', 'contact-deleted', ${newId()}, '{}', 6, 6, 'The process ended while it handled this event', 'infinity')
      returning id::text`.execute(stack.db);
    await sql`insert into outbox (org_id, kind, type, subject_id, payload, attempts, last_error, available_at, created_at)
      values (${org.id}, 'event', 'contact-merged', ${newId()}, '{}', 4, 'The database is away', now() + interval '1 hour', now() - interval '1 hour')`.execute(
      stack.db,
    );
    return { org, parked: rows[0]?.id ?? '' };
  };

  it('names cause and remedy of what goes wrong, and releases a parked event in place', async () => {
    const { parked } = await plant();
    const { page, complaints } = await openAsOperator(1280);
    for (const [what, cause, remedy] of [
      ['A connection is refused', 'HubSpot 401 INVALID_AUTHENTICATION', 'renews its key'],
      ['A sequence has paused itself', 'No SMS sender is connected', 'resumes it at Outbound'],
      ['A record of an e-mail domain is missing', 'mail.acme.example', 'sets the DNS record'],
    ] as const) {
      const row = rowWith(page, what).first();
      expect(await row.textContent()).toContain(cause);
      expect(await row.textContent()).toContain(remedy);
    }
    expect(await rowWith(page, 'contact-merged').textContent()).toContain('The database is away');
    expect(await rowWith(page, 'interactive').first().textContent()).toContain('worker');
    expect(await page.getByRole('link', { name: 'sequence', exact: true }).getAttribute('href')).toContain(
      'https://temporal.example/namespaces/',
    );
    await page.getByRole('button', { name: `Release event ${parked}` }).click();
    await page.getByText('No event is parked').waitFor();
    await eventually('the released event to be handled', async () => {
      const { rows } = await sql`select from outbox where id = ${parked}::bigint`.execute(stack.db);
      return rows.length === 0;
    });
    await page.getByRole('button', { name: 'Compare with Temporal' }).click();
    await page.getByText('Every row that waits has its workflow').waitFor({ timeout: 60_000 });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('breaks no rule of accessibility, is no wider than its window, and shows nothing without a session', async () => {
    for (const width of WIDTHS)
      for (const scheme of ['light', 'dark'] as const) {
        const { page } = await openAsOperator(width, scheme);
        expect([width, scheme, await violationsIn(page), await overflowOf(page)]).toEqual([width, scheme, [], 0]);
        await page.context().close();
      }
    const { page } = await browser.open(`${stack.url}/console/operator`);
    await page.getByText('Sign in as the operator').waitFor();
    expect(await page.getByRole('heading').count()).toBe(0);
    await page.context().close();
  });

  it('does not resume all sending that somebody else has paused while it asks whether to pause it', async () => {
    const { page } = await openAsOperator(1280);
    const state = async () =>
      (await page.evaluate(`fetch('/operator/v1/state').then((answer) => answer.json())`)) as State;
    await page.getByRole('button', { name: 'Pause all sending' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause all sending?' });
    await page.evaluate(`fetch('/operator/v1/sending', { method: 'PUT', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ state: 'paused' }) })`);
    await page.getByText('Messages and webhooks wait. Nothing is lost.').waitFor({ timeout: 30_000 });
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.waitForTimeout(500);
    expect((await state()).sending.state).toBe('paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    const resuming = page.getByRole('dialog', { name: 'Resume all sending?' });
    await resuming.getByRole('button', { name: 'Resume sending' }).click();
    await eventually('the sending', async () => (await state()).sending.state === 'running');
    await page.context().close();
  });

  it('is apart from the audit of an org, which an admin reads', async () => {
    const org = await stack.createOrg('Beta');
    const pages = createPages({ url: stack.url, org, partner: stack.partner }, browser);
    await org.patch('/org/settings', { daily_cap: 3 });
    await org.post('/teams', { name: 'Second line' });
    for (const width of WIDTHS) {
      const { page, complaints } = await pages.open(`ann-${width}@acme.example`, '/settings/audit', {
        role: 'admin',
        width,
      });
      await page.getByText('settings.daily_cap').waitFor();
      expect([await violationsIn(page), await overflowOf(page), complaints]).toEqual([[], 0, []]);
      await page.getByRole('link', { name: 'API key Test' }).first().click();
      await page.waitForURL(/actor=/);
      await page.getByText('Team “Second line”').waitFor();
      await page.close();
    }
  });
});
