import { parse } from 'csv-parse/sync';
import { insertImport } from '../../src/contacts/imports/queries.ts';
import { continueImport, startImport, storeImport } from '../../src/contacts/imports/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { purgeDeletedMedia } from '../../src/media/service.ts';
import { spool } from '../../src/media/spool.ts';
import { SYSTEM } from '../../src/schemas/actor.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

let stack: Stack;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
});

const CSV = { headers: { 'content-type': 'text/csv' } };
const send = (csv: string, query = '') => org.post(`/contacts/import${query}`, csv, CSV);

/** Imports a file and waits for its end. */
async function imported(csv: string, query = '') {
  const { status, body } = await send(csv, query);
  expect({ status, body }).toMatchObject({ status: 202 });
  return eventually('the end of the import', async () => {
    const { body: job } = await org.get(`/contacts/imports/${body.id}`);
    return job.status === 'completed' && job;
  });
}
const paced = (mayContinue: () => boolean, attempt = 1) => ({ mayContinue, attempt });
const contacts = async () =>
  (await org.get('/contacts?limit=100')).body.items as {
    email: string | null;
    external_id: string | null;
    name: string;
  }[];
const refusedOf = async (job: { refused_url: string }) =>
  parse((await org.get(new URL(job.refused_url).pathname)).body) as string[][];

describe('an import of contacts', () => {
  it('saves each line, with its number in any spelling and its custom data, and answers how many', async () => {
    const job = await imported(
      '\ufeffexternal_id,email,phone_number,name,custom_data.plan,custom_data.city\r\n' +
        'crm-1,ANN@example.com,+44 20 7946 0958,"Ann ""A"", Smith",pro,"New\nYork"\r\n' +
        '\r\n' +
        'crm-2,,,Bo,,\r\n',
    );
    expect(job).toMatchObject({
      progress: 1,
      rows: 2,
      created: 2,
      updated: 0,
      skipped: 0,
      refused: 0,
      refused_url: null,
    });
    expect(job.ended_at).toEqual(expect.any(String));
    expect(await contacts()).toMatchObject([
      {
        external_id: 'crm-1',
        email: 'ann@example.com',
        phone: '+442079460958',
        name: 'Ann "A", Smith',
        custom_data: { plan: 'pro', city: 'New\nYork' },
      },
      { external_id: 'crm-2', email: null, name: 'Bo', custom_data: {} },
    ]);
  });

  it('takes semicolons and tabs between cells, and national numbers of the organization’s country', async () => {
    await org.patch('/org/settings', { country: 'GB' });
    expect(await imported('email;phone\na@example.com;020 7946 0958\n')).toMatchObject({ created: 1 });
    expect(await imported('email\tname\na@example.com\tAda, Countess\n')).toMatchObject({ updated: 1 });
    expect(await contacts()).toMatchObject([{ email: 'a@example.com', phone: '+442079460958', name: 'Ada, Countess' }]);
  });

  it('merges into contacts that exist, and into those of earlier lines', async () => {
    await org.post('/contacts', { contact: { email: 'ann@example.com', name: 'Ann', custom_data: { a: '1' } } });
    const job = await imported(
      'email,name,custom_data.b\nann@example.com,,2\nbo@example.com,Bo,\nBO@example.com,Bob,3\n',
    );
    expect(job).toMatchObject({ rows: 3, created: 1, updated: 2 });
    expect(await contacts()).toMatchObject([
      { email: 'ann@example.com', name: 'Ann', custom_data: { a: '1', b: '2' } },
      { email: 'bo@example.com', name: 'Bob', custom_data: { b: '3' } },
    ]);
  });

  it('with update=false leaves contacts that exist as they are', async () => {
    await org.post('/contacts', { contact: { external_id: 'crm-1', name: 'Ann' } });
    const job = await imported('external_id,name\ncrm-1,Other\ncrm-2,Bo\ncrm-2,Again\n', '?update=false');
    expect(job).toMatchObject({ created: 1, updated: 0, skipped: 2, refused: 0 });
    expect(await contacts()).toMatchObject([{ name: 'Ann' }, { name: 'Bo' }]);
  });

  it('finds contacts by the key alone, and refuses an address of another contact', async () => {
    await org.post('/contacts', { contact: { email: 'ann@example.com', name: 'Ann' } });
    const csv = 'external_id,email,name\ncrm-1,ann@example.com,Other\n,bo@example.com,Bo\n';
    const job = await imported(csv, '?key=external_id');
    expect(job).toMatchObject({ created: 0, refused: 2 });
    expect((await refusedOf(job)).map(([, reason]) => reason)).toEqual([
      'reason',
      expect.stringContaining('contact.email: this e-mail belongs to another contact'),
      expect.stringContaining('no external_id'),
    ]);
  });

  it('answers the refused lines as a file that can be corrected and sent again', async () => {
    const job = await imported(
      'email,phone,name\nwrong,,A\nb@example.com,+15005550006,B\nc@example.com\n,,nobody\nd@example.com,12,=D\n',
    );
    expect(job).toMatchObject({ rows: 5, created: 1, refused: 4 });
    const [names, ...lines] = await refusedOf(job);
    expect(names).toEqual(['line', 'reason', 'email', 'phone', 'name']);
    expect(lines).toEqual([
      ['2', expect.stringContaining('email: must be an e-mail address'), 'wrong', '', 'A'],
      ['4', expect.stringContaining('the line has 1 cells'), 'c@example.com', '', ''],
      ['5', expect.stringContaining('no external_id, email or phone'), '', '', 'nobody'],
      ['6', expect.stringContaining('phone: must be an international phone number'), 'd@example.com', '12', '=D'],
    ]);
    const corrected = `line,reason,email,phone,name\n${lines.map(([line], n) => `${line},x,fixed${n}@example.com,,N`).join('\n')}`;
    expect(await imported(corrected)).toMatchObject({ created: 4, refused: 0 });
  });

  it('takes a cell with text or white space behind its quotes, and reads what follows', async () => {
    const cells = [
      '"Q"x',
      '"say "hi" now"',
      '"B" ',
      '"Acme ""Best""" ',
      '"Smith, Bob"\t',
      '" C "',
      '"""D"""',
      ' E ',
      ' "F"',
    ];
    const job = await imported(`email,name\n${cells.map((cell, n) => `quoted${n}@example.com,${cell}\n`).join('')}`);
    expect(job).toMatchObject({ rows: cells.length, created: cells.length, refused: 0 });
    const { body } = await org.get('/contacts?limit=100');
    const names = new Map(body.items.map(({ email, name }: { email: string; name: string }) => [email, name]));
    expect(cells.map((_, n) => names.get(`quoted${n}@example.com`))).toEqual([
      ...['"Q"x', '"say "hi" now"', 'B', 'Acme "Best"', 'Smith, Bob', 'C', '"D"', 'E', 'F'],
    ]);
  });

  it('says from which line on nothing was read, if a quote is not closed', async () => {
    const job = await imported('email,name\na@example.com,A\nb@example.com,"B\nc@example.com,C\n');
    expect(job).toMatchObject({ created: 1, refused: 1 });
    expect((await refusedOf(job))[1]).toEqual(['3', expect.stringContaining('nothing from here on was read'), '', '']);
    const long = await imported(`email,name\na@example.com,A\nb@example.com,${'B'.repeat(120_000)}\nc@example.com,C\n`);
    expect(long).toMatchObject({ updated: 1, refused: 1 });
    expect((await refusedOf(long))[1]).toEqual(['3', expect.stringContaining('longer than 100000 bytes'), '', '']);
  });
});

describe('a file that cannot be imported', () => {
  it.each([
    ['an unknown column', 'email,surname\n', 'the column "surname" is not known'],
    ['a key that no object has', 'email,custom_data.__proto__\n', 'no key is called __proto__'],
    ['a column twice', 'email,email\n', 'the column "email" appears more than once'],
    ['no column that finds contacts', 'name\nAda\n', 'there must be a column external_id or email or phone'],
    ['nothing in it', '', 'empty'],
    ['control characters', 'email\na\u0000b@example.com\n', 'control characters'],
  ])('is refused at once with what to change: %s', async (_, csv, message) => {
    const { status, body } = await send(csv);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('is refused without the column of the key, in another encoding, and as another type', async () => {
    expect((await send('email\n', '?key=phone')).body.message).toContain(
      'there must be a column phone or phone_number',
    );
    const latin = await fetch(`${stack.url}/contacts/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${org.key}`, 'content-type': 'text/csv' },
      body: Buffer.from('email,name\na@example.com,Zoë\n', 'latin1'),
    });
    expect([latin.status, await latin.text()]).toEqual([400, expect.stringContaining('UTF-8')]);
    const other = await org.post('/contacts/import', { email: 'a@example.com' });
    expect([other.status, other.body.message]).toEqual([415, expect.stringContaining('text/csv')]);
    expect((await org.post('/contacts', 'email\n', CSV)).status).toBe(415);
  });
});

it('the file of an import that nobody has recorded is deleted after an hour, and that of a recorded one stays', async () => {
  const { db, deps } = stack;
  const file = await spool([Buffer.from('email\nann@example.com\n')], 1_000);
  const stored = () => storeImport(db, deps.storage, org.id, { file, options: { update: true } });
  const [lost, recorded] = [await stored(), await stored()];
  await startImport(db, org.id, recorded);
  await db
    .updateTable('media')
    .set({ deleted_at: new Date() })
    .where('org_id', '=', org.id)
    .where('deleted_at', 'is not', null)
    .execute();
  await purgeDeletedMedia(db, deps.storage);
  expect(await deps.storage.get(lost.storage_key)).toBeUndefined();
  await eventually('the import', async () => {
    const { body } = await org.get(`/contacts/imports/${recorded.id}`);
    return body.status === 'completed' && body.created === 1;
  });
  await expect(startImport(db, org.id, lost)).rejects.toMatchObject({ kind: 'unavailable' });
  await file.remove();
});

describe('an interrupted import', () => {
  it('continues behind the last line that was committed, each line once', async () => {
    const lines = Array.from({ length: 7_500 }, (_, n) => `e${n}@example.com,N${n}`);
    const { db, deps } = stack;
    const file = await spool([Buffer.from(`email,name\n${lines.join('\n')}\n`)], 1_000_000);
    const added = await storeImport(deps.db, deps.storage, org.id, { file, options: { update: true } });
    await file.remove();
    await inTransaction(db, (trx) => insertImport(trx, org.id, added, SYSTEM)); // of which no workflow is told
    const ref = { orgId: org.id, importId: added.id };
    let batches = 0;
    const first = await continueImport(
      { db, storage: deps.storage },
      ref,
      paced(() => batches++ < 2),
    );
    expect(first).toMatchObject({ isEnded: false, lines: 6_001 });
    const failing = () => {
      throw new Error('the process ends');
    };
    await expect(continueImport({ db, storage: deps.storage }, ref, paced(failing))).rejects.toThrow(
      'the process ends',
    );
    const together = await Promise.allSettled(
      [1, 2].map(() =>
        continueImport(
          { db, storage: deps.storage },
          ref,
          paced(() => true),
        ),
      ),
    );
    expect(together.map(({ status }) => status)).toContain('fulfilled');
    const { body } = await org.get(`/contacts/imports/${added.id}`);
    expect(body).toMatchObject({ status: 'completed', rows: 7_500, created: 7_500, updated: 0 });
    expect(await stack.deps.storage.get(added.storage_key)).toBeUndefined();
  });
});

it('an import knows the name of its file and who began it', async () => {
  const job = await imported('email\nann@example.com\n', `?file_name=${encodeURIComponent('Ann’s people.csv')}`);
  expect(job).toMatchObject({ file_name: 'Ann’s people.csv', actor: { kind: 'key' }, reason: null });
  expect((await imported('email\nann@example.com\n')).file_name).toBeNull();
  expect((await send('email\n', `?file_name=${'a'.repeat(256)}`)).body.message).toContain('file_name');
});

it('an import whose file is lost is tried again for minutes, and then fails with what to do', async () => {
  const { db, deps } = stack;
  const file = await spool([Buffer.from('email\nann@example.com\n')], 1_000);
  const added = await storeImport(db, deps.storage, org.id, { file, options: { update: true } });
  await file.remove();
  await inTransaction(db, (trx) => insertImport(trx, org.id, added, SYSTEM)); // of which no workflow is told
  await deps.storage.delete(added.storage_key);
  const ref = { orgId: org.id, importId: added.id };
  const tryIt = (attempt: number) =>
    continueImport(
      { db, storage: deps.storage },
      ref,
      paced(() => true, attempt),
    );
  await expect(tryIt(9)).rejects.toThrow('not in storage');
  const path = `/contacts/imports/${added.id}`;
  expect((await org.get(path)).body).toMatchObject({ status: 'running', reason: null, ended_at: null });
  expect(await tryIt(10)).toMatchObject({ isEnded: true });
  expect((await org.get(path)).body).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('import the file again'),
    ended_at: expect.any(String),
  });
});

it('a deleted contact is erased from refused lines', async () => {
  const job = await imported('email,phone\nann@example.com,12\nbo@example.com,12\n');
  const { body } = await org.post('/contacts', { contact: { email: 'ann@example.com' } });
  await org.delete(`/contacts/${body.id}`);
  expect(await refusedOf(job)).toEqual([
    ['line', 'reason', 'email', 'phone'],
    ['2', 'erased', '', ''],
    ['3', expect.any(String), 'bo@example.com', '12'],
  ]);
});

it('a repeated request with its Idempotency-Key starts one import, and another org does not see it', async () => {
  const keyed = { headers: { ...CSV.headers, 'idempotency-key': 'import-1' } };
  const csv = 'email\none@example.com\n';
  const [one, two] = [await org.post('/contacts/import', csv, keyed), await org.post('/contacts/import', csv, keyed)];
  expect(two.body).toEqual(one.body);
  expect((await org.post('/contacts/import', 'email\ntwo@example.com\n', keyed)).status).toBe(422);
  const path = `/contacts/imports/${one.body.id}`;
  expect((await stack.other.get(path)).status).toBe(404);
  expect((await stack.other.get(`${path}/refused`)).status).toBe(404);
});

it('imports are listed in the order of creation or the newest first, page by page, and none of another org', async () => {
  const jobs: { id: string }[] = [];
  for (const n of [1, 2, 3]) jobs.push(await imported(`email\nlisted${n}@example.com\nwrong\n`));
  expect((await org.get('/contacts/imports')).body).toEqual({ items: jobs, next: null });
  const { body: newest } = await org.get('/contacts/imports?order=newest&limit=2');
  expect(newest).toEqual({ items: [jobs[2], jobs[1]], next: expect.any(String) });
  const { body: rest } = await org.get(`/contacts/imports?order=newest&limit=2&cursor=${newest.next}`);
  expect(rest).toEqual({ items: [jobs[0]], next: null });
  expect((await org.get('/contacts/imports?order=desc')).status).toBe(400);
  expect((await stack.other.get('/contacts/imports')).body.items).not.toContainEqual(jobs[0]);
  expect((await (await stack.createOrg()).get('/contacts/imports')).body).toEqual({ items: [], next: null });
});
