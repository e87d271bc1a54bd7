import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { CHROMIUM, overflowOf, startBrowser, WIDTHS } from '../support/chromium.ts';
import { buildConsole, createPages, violationsIn } from '../support/console-pages.ts';
import { emailStep, inDomain } from '../support/sequences.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

const IS_LONG = process.env.TEST_TIER === 'long';

(CHROMIUM && IS_LONG ? describe : describe.skip)('outbound in the console', () => {
  let stack: Stack;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let pages: ReturnType<typeof createPages>;
  beforeAll(async () => {
    await buildConsole();
    [stack, browser] = await Promise.all([startStack(), startBrowser()]);
    pages = createPages(stack, browser);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  const seed = (domain: string, names: string[]) =>
    Promise.all(
      names.map((name) => stack.org.post('/contacts', { contact: { name, email: `${name.toLowerCase()}@${domain}` } })),
    );
  const create = async (name: string, input: object) =>
    (await stack.org.post('/sequences', { name, filter: null, ...input })).body.id as string;
  const unknown = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const values = {
        org_id: stack.org.id,
        id: newId(),
        channel: 'sms',
        to: '+4915112345678',
        status: 'unknown',
      } as const;
      await stack.db
        .insertInto('deliveries')
        .values({ ...values, reason: 'the connection broke' })
        .execute();
    }
  };
  const list = (page: Page, name: string) => page.getByRole('list', { name, exact: true });

  /** A sequence of which Ada got the first message, and not the second. */
  async function sequenceOfAda(): Promise<string> {
    await seed('why.example', ['Ada', 'Ben']);
    await stack.org.post('/suppressions', { address: 'ada@why.example' });
    const id = await create('Welcome', {
      enroll_existing: true,
      filter: inDomain('why.example'),
      steps: [
        emailStep('Good to have you', 0, { email_is_transactional: true }),
        emailStep('Tips for your first week'),
        emailStep('How is it going?', 3 * 24 * 60),
      ],
    });
    await eventually('both second steps', async () => {
      const { steps } = (await stack.org.get(`/sequences/${id}/stats`)).body;
      return steps[1].skipped === 1 && steps[1].sent === 1;
    });
    return id;
  }

  it('says in one place why Ada did not get the second mail, also to whoever may change nothing', async () => {
    const id = await sequenceOfAda();
    const { page, complaints } = await pages.open('vic@acme.example', '/outbound', { role: 'viewer' });
    await list(page, 'Sequences').getByRole('link', { name: 'Welcome' }).click();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    expect(await page.title()).toContain('Outbound');
    const field = page.getByRole('textbox', { name: 'E-mail address or id of a contact' });
    await field.fill('ada@why.example');
    await field.press('Enter');
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByRole('status').getByText('Step 2: The address was suppressed by hand').waitFor();
    expect(page.url()).toContain('why=ada');
    await answer.getByText('All that was checked').click();
    await answer.getByText('The address was suppressed by hand').last().waitFor();
    await answer.getByRole('link', { name: 'delivery' }).nth(1).click();
    await page.getByRole('dialog', { name: 'Delivery' }).getByText('ada@why.example').waitFor();
    await page.getByRole('dialog', { name: 'Delivery' }).getByText('No provider was asked.', { exact: true }).waitFor();
    await page.goBack();
    await list(page, 'Enrollments').getByRole('link', { name: /^Ben/ }).click();
    await answer.getByText('Step 3: It comes next').waitFor();
    for (const name of ['Pause', 'Test', 'Cancel the sequence', 'Change'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'Tips for your first week' }).count();
    await page.goto(`${stack.url}/console/outbound/${id}?why=nobody@why.example`);
    await answer.getByRole('status').getByText('The org has no contact').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('names the segments and sequences of who gets it, and leads to them, and says which are gone', async () => {
    await seed('vip.example', ['Ida', 'Joe']);
    const { body: segment } = await stack.org.post('/segments', {
      name: 'Very important',
      filter: inDomain('vip.example'),
    });
    const [first, gone] = [
      await create('First steps', { steps: [emailStep('One')] }),
      await create('Old', { steps: [emailStep('One')] }),
    ];
    const and = [
      { type: 'contact_belongs_to_segment', segment_id: segment.id },
      { type: 'contacts_affected_by_sequence', sequence_id: first },
    ];
    const id = await create('Second steps', {
      filter: { or: [{ and }, { and: [{ type: 'contacts_affected_by_sequence', sequence_id: gone }] }] },
      steps: [emailStep('Two')],
    });
    expect((await stack.org.delete(`/sequences/${gone}`)).status).toBe(200);
    const { page, complaints } = await pages.open('vic@acme.example', `/outbound/${id}`, { role: 'viewer' });
    await page
      .getByText(
        'contacts in the segment Very important, and who were enrolled in the sequence First steps; or contacts who were enrolled in a deleted sequence',
      )
      .waitFor();
    await page.getByRole('link', { name: 'First steps' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Very important' }).click();
    await page.getByRole('heading', { name: 'Very important' }).waitFor();
    await page.getByText('Who belongs to it: contacts whose e-mail address is at vip.example').waitFor();
    expect([await violationsIn(page), complaints.filter((line) => !line.includes('404'))]).toEqual([[], []]);
    await page.close();
  });

  it('shows how far a forecast of many contacts is, and what it has found, also after a reload', async () => {
    await sql`
      insert into contacts (org_id, id, email)
      select ${stack.org.id}::uuid, gen_random_uuid(), 'c' || n || '@crowd.example' from generate_series(1, 1200) as n
    `.execute(stack.db);
    const id = await create('For the crowd', {
      is_continuous: false,
      filter: inDomain('crowd.example'),
      steps: [emailStep('It begins')],
    });
    const job = { org_id: stack.org.id, id: newId(), sequence_id: id, contacts: 1_200, contacts_done: 400 };
    await stack.db.insertInto('sequence_forecasts').values(job).execute();
    const { page, complaints } = await pages.open('ann@acme.example', `/outbound/${id}`, { role: 'admin' });
    const forecast = page.getByRole('region', { name: 'Forecast' });
    await forecast.getByRole('button', { name: 'Forecast', exact: true }).click();
    await forecast.getByText('400 of about 1,200 contacts').waitFor();
    await page.reload();
    await forecast.getByText('400 of about 1,200 contacts').waitFor();
    const step = { index: 0, at: null, last_at: null, recipients: 1_200, held: [], skipped: [] };
    const found = {
      state: 'done' as const,
      contacts_done: 1_200,
      steps: JSON.stringify([step]),
      ended_at: sql<Date>`now()`,
    };
    await stack.db.updateTable('sequence_forecasts').set(found).where('id', '=', job.id).execute();
    for (const isLoadedAgain of [false, true]) {
      if (isLoadedAgain) await page.reload();
      await forecast.getByText('1,200 contacts get it').waitFor();
    }
    await stack.db.deleteFrom('sequence_forecasts').where('id', '=', job.id).execute();
    await page.reload();
    await forecast.getByText('Who would get what and when').waitFor();
    expect(complaints.filter((line) => !line.includes('404'))).toEqual([]);
    await page.close();
  });

  it('forecasts a sequence before its start, starts it, pauses and resumes it, and says why it cannot start again', async () => {
    await seed('spring.example', ['Cy', 'Dee', 'Eve']);
    const id = await create('Spring sale', {
      is_continuous: false,
      filter: inDomain('spring.example'),
      steps: [emailStep('It begins'), emailStep('Last days', 2 * 24 * 60)],
    });
    const { page, complaints } = await pages.open('ann@acme.example', `/outbound/${id}`, { role: 'admin' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByText('Who gets it: contacts whose e-mail address is at spring.example').waitFor();
    await button('Forecast').click();
    const forecast = page.getByRole('region', { name: 'Forecast' });
    await forecast.getByText('3 contacts get it').first().waitFor();
    await forecast.getByText('The numbers as a table').click();
    await forecast.getByRole('columnheader', { name: '2 Last days' }).waitFor();
    await forecast.locator('canvas').waitFor();
    expect(await button('Pause').getAttribute('aria-disabled')).toBe('true');
    expect(await button('Pause').getAttribute('title')).toContain('has not been started');
    await button('Start').click();
    const dialog = page.getByRole('dialog', { name: /Start/ });
    await dialog.getByText('3 contacts match').waitFor();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Active', { exact: true }).first().waitFor();
    await forecast.getByText('What goes out in the next 7 days').waitFor();
    expect(await forecast.getByText('get it').count()).toBe(0);
    await page.getByRole('img', { name: 'Step 1: 3 sent' }).waitFor({ timeout: 20_000 });
    expect(await button('Start').getAttribute('title')).toBe('A sequence starts once');
    await button('Pause').click();
    await button('Resume').waitFor();
    expect((await stack.org.get(`/sequences/${id}`)).body.status).toBe('paused');
    await button('Resume').click();
    await button('Pause').waitFor();
    expect((await stack.org.get(`/sequences/${id}`)).body.status).toBe('active');
    await button('Cancel the sequence').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the sequence' }).click();
    await page.locator('button[title="The sequence is canceled"]').first().waitFor();
    expect((await stack.org.get(`/sequences/${id}`)).body.status).toBe('canceled');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('settles one unknown delivery, then all, and shows what the provider said', async () => {
    await unknown(4);
    const { page, complaints } = await pages.open('ann@acme.example', '/outbound/deliveries?status=unknown', {
      role: 'admin',
    });
    const rows = list(page, 'Deliveries').getByRole('listitem');
    await rows.nth(3).waitFor();
    await rows.first().getByRole('link').click();
    const dialog = page.getByRole('dialog', { name: 'Delivery' });
    await dialog.getByRole('button', { name: 'It was not sent' }).click();
    await dialog.getByText('settled by hand').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'All were sent' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Settle all' }).click();
    await page.getByRole('status').getByText('3 settled').waitFor({ timeout: 20_000 });
    await page.getByText('Nothing was found').waitFor();
    const { items } = (await stack.org.get('/deliveries?channel=sms&order=newest')).body;
    expect(items.map(({ status }: { status: string }) => status).sort()).toEqual(['failed', 'sent', 'sent', 'sent']);
    await page.getByRole('button', { name: 'Remove the filter Status: Unknown' }).click();
    await page.getByRole('region', { name: 'Reasons' }).getByText('settled by hand; it was unknown').first().click();
    await page.getByRole('button', { name: /^Remove the filter Reason/ }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each(WIDTHS)('has no fault that axe finds on any page at %d px, in either theme', async (width) => {
    const name = `Look ${width}`;
    await seed(`look${width}.example`, ['Fay', 'Gus', 'Hal']);
    await stack.org.post('/suppressions', { address: `fay@look${width}.example` });
    const id = await create(name, {
      enroll_existing: true,
      filter: inDomain(`look${width}.example`),
      steps: [emailStep('Good to have you'), emailStep('Tips for your first week', 24 * 60)],
    });
    await eventually(
      'the first step',
      async () => (await stack.org.get(`/sequences/${id}/stats`)).body.steps[0].sent === 2,
    );
    await create(`Not started ${width}`, { is_continuous: false, steps: [emailStep('Soon')] });
    await stack.org.put('/email/domains', { domainName: `mail${width}.example.com` });
    await unknown(2);
    const { page, complaints } = await pages.open('zoe@acme.example', '/outbound', { role: 'admin', width });
    const check = async (what: string, ready: () => Promise<unknown>) => {
      await ready();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect([
          what,
          colorScheme,
          await violationsIn(page, colorScheme === 'dark' ? ['color-contrast'] : undefined),
        ]).toEqual([what, colorScheme, []]);
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/outbound-${what}-${width}-${colorScheme}.png` });
      }
      expect([what, await overflowOf(page)]).toEqual([what, 0]);
    };
    const go = (path: string) => page.goto(`${stack.url}/console${path}`);
    await check('sequences', () => list(page, 'Sequences').getByText(name).waitFor());
    await go(`/outbound/${id}?why=fay@look${width}.example`);
    await check('sequence', async () => {
      await page.getByText('Step 1: The address was suppressed by hand').waitFor();
      await page.getByRole('button', { name: 'Forecast', exact: true }).click();
      await page.getByText('2 contacts get it').waitFor();
      await page.getByText('All that was checked').click();
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.locator('canvas').nth(1).waitFor();
    });
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await check('gates', () => page.getByRole('dialog', { name: 'Sending limits' }).waitFor());
    await go('/outbound/deliveries');
    await check('deliveries', () => list(page, 'Deliveries').getByText('+49').first().waitFor());
    await list(page, 'Deliveries').getByRole('link').first().click();
    await check('delivery', () => page.getByRole('dialog', { name: 'Delivery' }).getByText('Created').waitFor());
    await go('/outbound/domains');
    await check('domains', () => page.getByText(`mail${width}.example.com`).first().waitFor());
    await go('/outbound/suppressions');
    await check('suppressions', () => list(page, 'Suppressions').getByText(`fay@look${width}.example`).waitFor());
    expect(complaints).toEqual([]);
    await page.close();
  });
});
