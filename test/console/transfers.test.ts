import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Locator, Page } from 'playwright-core';
import { insertImport } from '../../src/contacts/imports/queries.ts';
import { continueImport, storeImport } from '../../src/contacts/imports/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { spool } from '../../src/media/spool.ts';
import { SYSTEM } from '../../src/schemas/actor.ts';
import { ADA, AGENT, lines } from '../imports/support/zendesk.ts';
import { CHROMIUM, startBrowser } from '../support/chromium.ts';
import { buildConsole, createPages, type MemberOptions, violationsIn } from '../support/console-pages.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

const IS_LONG = process.env.TEST_TIER === 'long';
const ADDRESS = '/settings/data';

(CHROMIUM && IS_LONG ? describe : describe.skip)('imports and exports in the console', () => {
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

  const open = (path = ADDRESS, role: MemberOptions['role'] = 'admin') =>
    pages.open(`${role}@acme.example`, path, { role, acceptDownloads: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  /** The newest job of a list. */
  const newest = (page: Page, list: string) => page.getByRole('list', { name: list }).getByRole('listitem').first();
  const fileOf = (name: string, text: string) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(text),
  });
  const upload = async (page: Page, name: string, text: string) => {
    await page.getByRole('dialog').getByLabel('File').setInputFiles(fileOf(name, text));
    await button(page, 'Upload and import').click();
  };
  const downloaded = async (page: Page, link: Locator): Promise<string> => {
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    return readFileSync(await download.path(), 'utf8');
  };

  it('imports a CSV file from the page of contacts, says what is wrong with one, and gives refused lines back', async () => {
    const { page, complaints } = await open('/contacts');
    await page.getByRole('main').getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByText('No file was imported within the last week.').waitFor();
    await button(page, 'Import contacts').click();
    expect(await violationsIn(page)).toEqual([]);
    await upload(page, 'people.csv', 'email,surname\nann@example.com,Ann\n');
    const problem = page.getByRole('dialog').getByRole('alert');
    await problem.getByText('the column "surname" is not known').waitFor();
    expect(await page.getByLabel('File').getAttribute('aria-invalid')).toBe('true');
    expect(await violationsIn(page)).toEqual([]);

    await page.getByRole('combobox', { name: 'Contacts that exist' }).selectOption('Stay as they are');
    await problem.waitFor({ state: 'detached' });
    await stack.org.post('/contacts', { contact: { email: 'known@example.com', name: 'Known' } });
    await upload(page, 'people.csv', 'email,name\nann@example.com,Ann\nwrong,Ben\nknown@example.com,Other\n,Cy\n');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const job = newest(page, 'Imports of contacts');
    await job.getByText('1 created, 1 skipped, 2 refused').waitFor();
    await job.getByText('people.csv').waitFor();
    await job.getByText(/, by admin/).waitFor();
    await job.getByText('Completed').waitFor();
    const refused = await downloaded(page, job.getByRole('link', { name: 'Refused lines' }));
    expect(refused.split('\r\n')).toEqual([
      'line,reason,email,name',
      expect.stringMatching(/^3,.*must be an e-mail address.*,wrong,Ben$/),
      expect.stringMatching(/^5,.*no external_id, email or phone.*,,Cy$/),
      '',
    ]);
    expect(complaints.filter((line) => !line.includes('400'))).toEqual([]);
    await page.close();
  });

  it('shows how far an import is after a reload too, and its end without one', async () => {
    const contacts = Array.from({ length: 7_500 }, (_, n) => `e${n}@example.com,N${n}\n`);
    const { db, deps, org } = stack;
    const file = await spool([Buffer.from(`email,name\n${contacts.join('')}`)], 1_000_000);
    const added = await storeImport(db, deps.storage, org.id, { file, options: { update: true } });
    await file.remove();
    await inTransaction(db, (trx) => insertImport(trx, org.id, added, SYSTEM)); // of which no workflow is told
    const ref = { orgId: org.id, importId: added.id };
    const proceed = (batches: number) => {
      let done = 0;
      return continueImport({ db, storage: deps.storage }, ref, { mayContinue: () => done++ < batches, attempt: 1 });
    };

    const { page, complaints } = await open();
    const job = newest(page, 'Imports of contacts');
    const bar = job.getByRole('progressbar');
    const share = async () => Number(await bar.getAttribute('value'));
    await job.getByText('Running').waitFor();
    expect(await share()).toBeLessThan(0.01);
    await proceed(1);
    await job.getByText('3,000 created').waitFor();
    expect(await share()).toBeCloseTo(0.4, 1);
    await page.reload();
    await job.getByText('3,000 created').waitFor();
    expect(await share()).toBeCloseTo(0.4, 1);
    await proceed(1);
    await job.getByText('6,000 created').waitFor();
    await proceed(10);
    await job.getByText('7,500 created', { exact: true }).waitFor();
    await job.getByText('Completed').waitFor();
    expect(await bar.count()).toBe(0);
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await page.waitForTimeout(3_000);
    expect(asked.filter((path) => path === '/contacts/imports')).toEqual([]); // nothing runs any more
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('moves in from another desk, says what was left out and why one failed, and cancels', async () => {
    const { page, complaints } = await open();
    await button(page, 'Move in').click();
    expect(await violationsIn(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'From' }).selectOption('HubSpot');
    expect(await page.getByRole('combobox', { name: 'What' }).locator('option').allTextContents()).toEqual([
      'Contacts',
    ]);
    await page.getByRole('combobox', { name: 'From' }).selectOption('Zendesk');
    await page.getByLabel('Account (optional)').fill('shop');
    await upload(page, 'users.json', 'id,name\n1,Ada\n');
    await page.getByRole('dialog').getByRole('alert').getByText('zendesk writes contacts as JSON').waitFor();
    await upload(page, 'users.json', lines(ADA, AGENT));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const job = newest(page, 'Imports from other desks');
    await job.getByText('Zendesk (shop): contacts, users.json').waitFor();
    await job.getByText('1 created, 1 left out').waitFor();
    const report = await downloaded(page, job.getByRole('link', { name: 'What was left out' }));
    expect(report.split('\r\n').slice(0, 2)).toEqual([
      'record,external_id,left_out,code,reason',
      expect.stringMatching(/^2,9001,record,agent,/),
    ]);

    await sql`
      insert into imports (org_id, id, source, resource, account, storage_key, size, actor, position, records, created, state, reason, ended_at)
      select ${stack.org.id}, gen_random_uuid(), 'chatwoot', 'contacts', '', 'none', 4000000, '{"kind":"system","id":null,"name":null}',
        1000000, 1200, 1200, state, reason, ended_at
      from (values ('failed', 'The file cannot be read from record 1201 on', now()), ('running', null, null)) as job (state, reason, ended_at)
    `.execute(stack.db);
    await page.reload();
    const list = page.getByRole('list', { name: 'Imports from other desks' });
    await list.getByText('The file cannot be read from record 1201 on').waitFor();
    await button(page, 'Cancel: Import of Chatwoot: contacts').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
    await list.getByText('Canceled').waitFor();
    expect(await list.getByRole('progressbar').count()).toBe(0);
    expect(complaints.filter((line) => !line.includes('400'))).toEqual([]);
    await page.close();
  });

  it('exports to a file that is downloaded, until it expires or is deleted', async () => {
    await stack.org.post('/contacts', { contact: { email: 'exported@example.com', name: 'Exported' } });
    const { page, complaints } = await open();
    await button(page, 'Export').click();
    expect(await violationsIn(page)).toEqual([]);
    const day = new Date(Date.now() - 86_400_000).toLocaleDateString('sv');
    await page.getByLabel('Created from').fill(day);
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const job = newest(page, 'Exports');
    await job.getByText(/^Contacts as CSV from /).waitFor();
    await job.getByText(/records, to be had until/).waitFor();
    const link = job.getByRole('link', { name: /^Download/ });
    expect(await downloaded(page, link)).toContain('exported@example.com');
    await job.getByRole('button', { name: /^Delete the file/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the file' }).click();
    await job.getByText('There is no file').waitFor();
    expect(await link.count()).toBe(0);

    const expiring = (await stack.org.post('/exports', { resource: 'knowledge' })).body.id;
    await eventually('the export', async () => (await stack.org.get(`/exports/${expiring}`)).body.status !== 'running');
    await sql`update exports set expires_at = now() where id = ${expiring}`.execute(stack.db);
    await page.reload();
    await job.getByText('0 records: the file is deleted').waitFor();
    await job.getByText('Expired').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('offers each role what it may do', async () => {
    const offered = async (role: MemberOptions['role']) => {
      const { page } = await open(ADDRESS, role);
      await page.getByRole('list', { name: 'Exports' }).waitFor();
      const names = ['Import contacts', 'Move in', 'Export'];
      const counts = await Promise.all(names.map((name) => button(page, name).count()));
      await page.close();
      return names.filter((_, n) => counts[n] === 1);
    };
    expect(await offered('viewer')).toEqual(['Export']);
    expect(await offered('agent')).toEqual(['Import contacts', 'Move in', 'Export']);
    const { page } = await open(ADDRESS, 'agent');
    await button(page, 'Move in').click();
    expect(await page.getByRole('combobox', { name: 'What' }).locator('option').allTextContents()).toEqual([
      'Contacts',
    ]);
    await page.close();
  });
});
