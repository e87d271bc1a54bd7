import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { connectForSnapshots } from '../../src/db/snapshot.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { beginRun, insertExport } from '../../src/exports/queries.ts';
import { expireExports } from '../../src/exports/service.ts';
import { type ExportDeps, writeExport } from '../../src/exports/writing.service.ts';
import { newId } from '../../src/ids.ts';
import { purgeDeletedMedia } from '../../src/media/service.ts';
import { SYSTEM } from '../../src/schemas/actor.ts';
import type { TestOrg } from '../support/stack/api.ts';
import type { Client } from '../support/stack/clients.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

let stack: Stack;
let org: TestOrg;
let snapshots: ReturnType<typeof connectForSnapshots>;
let deps: ExportDeps;
beforeAll(async () => {
  stack = await startStack();
  snapshots = connectForSnapshots(stack.databaseUrl, 4);
  const { db, config } = stack;
  const { storage, mediaLinks: links } = stack.deps;
  deps = { db, storage, links, snapshots: snapshots.db, publicUrl: config.PUBLIC_URL };
});
afterAll(async () => {
  await snapshots.close();
  await stack.close();
});
beforeEach(async () => {
  org = await stack.createOrg();
});

const download = (url: string) => fetch(stack.url + new URL(url).pathname);
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Exports a resource and waits for its end. Returns the job with its file. */
async function exported(wanted: object, client: Client = org) {
  const { status, body } = await client.post('/exports', wanted);
  expect({ status, body }).toMatchObject({ status: 202 });
  const job = await eventually('the end of the export', async () => {
    const { body: shown } = await client.get(`/exports/${body.id}`);
    return shown.status !== 'running' && shown;
  });
  const text = job.url === null ? '' : await (await download(job.url)).text();
  return { job, text };
}

const insertContacts = (count: number) =>
  sql`
    insert into contacts (org_id, id, email, custom_data)
    select ${org.id}::uuid, gen_random_uuid(), 'e' || n || '@example.com', jsonb_build_object('n', n::text)
    from generate_series(1, ${count}) as n
  `.execute(stack.db);
const say = (id: string, sender: string, text: string) =>
  org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text } });
const newSession = async (body: object = {}) => (await org.post('/chat/sessions', body)).body.id as string;
/** Inserts an export of which no workflow is told. */
async function insertQuietly(resource: 'contacts' | 'conversations' | 'knowledge' = 'contacts') {
  const added = { id: newId(), resource, format: 'ndjson' as const, created_after: null, created_before: null };
  await inTransaction(stack.db, (trx) => insertExport(trx, org.id, { ...added, actor: SYSTEM }));
  return { orgId: org.id, exportId: added.id };
}
const stateOf = async ({ exportId }: { exportId: string }) => (await org.get(`/exports/${exportId}`)).body;

describe('an export', () => {
  it('of contacts is equal to the table in count and checksum, and says the checksum of the file', async () => {
    await insertContacts(1_203);
    const { job, text } = await exported({ resource: 'contacts' });
    expect(job).toMatchObject({ status: 'completed', progress: 1, rows: 1_203, size: Buffer.byteLength(text) });
    expect(job.sha256).toBe(createHash('sha256').update(text).digest('hex'));
    const contacts = linesOf(text);
    expect(contacts).toHaveLength(1_203);
    expect(contacts[0]).toEqual((await org.get(`/contacts/${contacts[0].id}`)).body);
    const { rows } = await sql<{ sum: string }>`
      select md5(string_agg(concat_ws('|', id, email, custom_data ->> 'n'), ',' order by id)) as sum
      from contacts where org_id = ${org.id}
    `.execute(stack.db);
    const sum = contacts.map(({ id, email, custom_data }) => `${id}|${email}|${custom_data.n}`).join(',');
    expect(createHash('md5').update(sum).digest('hex')).toBe(rows[0]?.sum);
  });

  it('of conversations has each session with its whole history, as GET shows it, without redacted texts', async () => {
    const { body: contact } = await org.post('/contacts', { contact: { email: 'ann@example.com', name: 'Ann' } });
    const [long, redacted, empty] = [
      await newSession({ contact_id: contact.id }),
      await newSession(),
      await newSession(),
    ];
    await say(long, 'contact', 'Where is my order?');
    await sql`
      insert into session_events (org_id, session_id, seq, id, type, sender, content)
      select org_id, id, n, gen_random_uuid(), 'message', 'ai', 'Answer ' || n
      from sessions cross join generate_series(100, 699) as n where org_id = ${org.id} and id = ${long}
    `.execute(stack.db);
    await say(redacted, 'contact', 'My card is tangerine');
    await org.post('/redaction/session', { sessionId: redacted });
    const { job, text } = await exported({ resource: 'conversations' });
    expect(job.rows).toBe(3);
    expect(text).not.toContain('tangerine');
    const sessions = linesOf(text);
    expect(sessions.map(({ id }) => id)).toEqual([long, redacted, empty].toSorted());
    const of = (id: string) => sessions.find((session) => session.id === id);
    expect(of(long)).toMatchObject({ contact: { email: 'ann@example.com' }, tags: [] });
    expect(of(long).history).toHaveLength(601);
    expect(of(long).history.slice(0, 200)).toEqual(
      (await org.get(`/chat/sessions/${long}/history?limit=200`)).body.items,
    );
    expect(of(redacted).history[0]).toMatchObject({ redacted: true, event: { content: { text: null } } });
    expect(of(empty).history).toEqual([]);
  });

  it('as CSV has a line a message or note, and no cell that a spreadsheet runs', async () => {
    const [id, empty] = [await newSession(), await newSession()];
    await say(id, 'contact', '=HYPERLINK("http://bad.example","Hi")');
    await say(id, 'contact', 'a "quoted"\nsecond line, with a comma');
    await org.post(`/chat/sessions/${id}/notes`, { text: '@SUM(1)' });
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    const { job, text } = await exported({ resource: 'conversations', format: 'csv' });
    expect(text.split('\r\n')[0]).toMatch(/^session_id,ticket_number,/);
    const rows: Record<string, string>[] = parse(text, { columns: true });
    expect(job.rows).toBe(rows.length);
    expect(rows.map((row) => [row.session_id, row.text])).toEqual([
      [id, '\'=HYPERLINK("http://bad.example","Hi")'],
      [id, 'a "quoted"\nsecond line, with a comma'],
      [id, "'@SUM(1)"],
      [empty, ''],
    ]);
  });

  it('of deliveries and of knowledge has all there are, in both formats', async () => {
    await sql`
      insert into deliveries (org_id, id, channel, "to", status)
      select ${org.id}::uuid, gen_random_uuid(), 'sms', '+1415555' || n, 'delivered' from generate_series(1000, 1002) as n
    `.execute(stack.db);
    await org.post('/training', { title: 'Refunds', content: 'Five days.' });
    await org.post('/training', { title: 'Later', content: 'A draft.', is_draft: true });
    const deliveries = linesOf((await exported({ resource: 'deliveries' })).text);
    expect(deliveries).toHaveLength(3);
    expect(deliveries[0]).toEqual(
      await org.get(`/deliveries/${deliveries[0].id}`).then(({ body }) => shownIn(body, deliveries[0])),
    );
    const csv: Record<string, string>[] = parse((await exported({ resource: 'deliveries', format: 'csv' })).text, {
      columns: true,
    });
    expect(csv.map(({ to }) => to)).toEqual(deliveries.map(({ to }) => `'${to}`));
    const knowledge = linesOf((await exported({ resource: 'knowledge' })).text);
    expect(knowledge).toMatchObject([
      { source_type: 'custom_training', title: 'Refunds', content: 'Five days.', is_draft: false },
      { source_type: 'custom_training', title: 'Later', content: 'A draft.', is_draft: true },
    ]);
    expect(parse((await exported({ resource: 'knowledge', format: 'csv' })).text)).toHaveLength(3);
  });

  it('can be of a period, and an empty one is a file too', async () => {
    await insertContacts(3);
    await sql`update contacts set created_at = '2026-01-15' where org_id = ${org.id} and email = 'e2@example.com'`.execute(
      stack.db,
    );
    const filter = { created_after: '2026-01-01T00:00:00Z', created_before: '2026-02-01T00:00:00Z' };
    const { job, text } = await exported({ resource: 'contacts', filter });
    expect(linesOf(text).map(({ email }) => email)).toEqual(['e2@example.com']);
    expect(job.filter).toEqual({
      created_after: '2026-01-01T00:00:00.000Z',
      created_before: '2026-02-01T00:00:00.000Z',
    });
    const empty = await exported({ resource: 'contacts', filter: { created_before: '2020-01-01T00:00:00Z' } });
    expect([empty.job.rows, empty.job.size, empty.text]).toEqual([0, 0, '']);
    expect((await download(empty.job.url)).status).toBe(200);
  });

  it('has one moment’s state, whatever changes while it is written', async () => {
    await insertContacts(1_100);
    const before = (
      await sql<{ id: string }>`select id from contacts where org_id = ${org.id} order by id`.execute(stack.db)
    ).rows;
    const ref = await insertQuietly();
    await writeExport(deps, ref, async () => {
      await sql`delete from contacts where org_id = ${org.id}`.execute(stack.db);
      await insertContacts(5);
      await sql`delete from contacts where org_id = ${org.id}`.execute(stack.db);
    });
    const text = await (await download((await stateOf(ref)).url)).text();
    expect(linesOf(text).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});

/** Returns the fields of one that the other has too. */
const shownIn = (whole: Record<string, unknown>, part: object) =>
  Object.fromEntries(Object.keys(part).map((key) => [key, whole[key]]));

describe('an interrupted export', () => {
  it('has no link until another run has written the whole file', async () => {
    await insertContacts(1_100);
    const ref = await insertQuietly();
    const dying = () => {
      throw new Error('the process ends');
    };
    await expect(writeExport(deps, ref, dying)).rejects.toThrow('the process ends');
    expect(await stateOf(ref)).toMatchObject({ status: 'running', url: null });
    expect(await writeExport(deps, ref, () => undefined)).toEqual({ isEnded: true, written: 1_100 });
    expect(linesOf(await (await download((await stateOf(ref)).url)).text())).toHaveLength(1_100);
  });

  it('that is still running elsewhere does not replace the file of the run that took over', async () => {
    await insertContacts(3);
    const ref = await insertQuietly();
    let stored = '';
    const slow = {
      ...deps.storage,
      async put(key: string, content: Parameters<ExportDeps['storage']['put']>[1]) {
        await deps.storage.put(key, content);
        stored = key;
        await beginRun(stack.db, ref); // elsewhere
      },
    };
    expect(await writeExport({ ...deps, storage: slow }, ref, () => undefined)).toMatchObject({ isEnded: false });
    expect(await stateOf(ref)).toMatchObject({ status: 'running', url: null });
    expect(await deps.storage.get(stored)).toBeUndefined();
    await writeExport(deps, ref, () => undefined);
    expect(linesOf(await (await download((await stateOf(ref)).url)).text())).toHaveLength(3);
  });

  it('leaves a stored file that is deleted after an hour, if the process ends before its export is complete', async () => {
    const ref = await insertQuietly();
    let stored = '';
    const dying = {
      ...deps.storage,
      async put(key: string, content: Parameters<ExportDeps['storage']['put']>[1]) {
        await deps.storage.put(key, content);
        stored = key;
        throw new Error('the process ends');
      },
    };
    await expect(writeExport({ ...deps, storage: dying }, ref, () => undefined)).rejects.toThrow('the process ends');
    await sql`update media set deleted_at = deleted_at - interval '1 hour' where org_id = ${org.id}`.execute(stack.db);
    await purgeDeletedMedia(stack.db, deps.storage);
    expect(await deps.storage.get(stored)).toBeUndefined();
  });
});

describe('the link of an export', () => {
  it('ends after a day, and with it the file', async () => {
    await insertContacts(1);
    const { job } = await exported({ resource: 'contacts' });
    expect(Date.parse(job.expires_at) - Date.parse(job.ended_at)).toBeGreaterThan(86_000_000);
    const { media_id } = await stack.db
      .selectFrom('exports')
      .select('media_id')
      .where('id', '=', job.id)
      .executeTakeFirstOrThrow();
    const media = { org_id: org.id, id: String(media_id) };
    expect((await download(deps.links.linkUntil(media, new Date(Date.now() - 1_000)))).status).toBe(410);
    await sql`update exports set expires_at = now() where id = ${job.id}`.execute(stack.db);
    expect(await stateOf({ exportId: job.id })).toMatchObject({ status: 'expired', url: null });
    expect(await expireExports(stack.db)).toBe(1);
    expect((await download(job.url)).status).toBe(404);
    await purgeDeletedMedia(stack.db, deps.storage);
    expect(await deps.storage.get(`${org.id}/${media_id}`)).toBeUndefined();
  });

  it('ends when a text or a contact in the file is erased, and a file under way is begun again', async () => {
    const { body: contact } = await org.post('/contacts', { contact: { email: 'ann@example.com' } });
    const id = await newSession({ contact_id: contact.id });
    await say(id, 'contact', 'My card is tangerine');
    const conversations = await exported({ resource: 'conversations' });
    const contacts = await exported({ resource: 'contacts' });
    const ref = await insertQuietly('conversations');
    const ended = (jobId: string) =>
      eventually('the end of the link', async () => {
        const shown = await stateOf({ exportId: jobId });
        return shown.status === 'expired' && shown;
      });
    const isFirst = { run: true };
    const progress = await writeExport(deps, ref, async () => {
      if (!isFirst.run) return;
      isFirst.run = false;
      await org.post('/redaction/session', { sessionId: id });
      await ended(conversations.job.id);
    });
    expect(progress.isEnded).toBe(false);
    expect(await ended(conversations.job.id)).toMatchObject({ url: null, reason: expect.stringContaining('erased') });
    expect((await download(conversations.job.url)).status).toBe(404);
    expect((await download(contacts.job.url)).status).toBe(200);
    await writeExport(deps, ref, () => undefined);
    expect(await (await download((await stateOf(ref)).url)).text()).not.toContain('tangerine');
    await org.delete(`/contacts/${contact.id}`);
    await ended(contacts.job.id);
    expect((await download(contacts.job.url)).status).toBe(404);
  });

  it('of knowledge ends when a redaction takes effect that its snapshot did not see, and one of conversations stays', async () => {
    const id = await newSession();
    await say(id, 'contact', 'My card is tangerine');
    await sql`alter table outbox alter available_at set default now() + interval '1 day'`.execute(stack.db);
    await org.post('/redaction/session', { sessionId: id });
    const [knowledge, conversations] = [await insertQuietly('knowledge'), await insertQuietly('conversations')];
    for (const ref of [knowledge, conversations])
      expect(await writeExport(deps, ref, () => undefined)).toMatchObject({ isEnded: true });
    await sql`alter table outbox alter available_at set default now()`.execute(stack.db);
    await sql`update outbox set available_at = now() where org_id = ${org.id}`.execute(stack.db);
    await eventually('the end of the link', async () => (await stateOf(knowledge)).status === 'expired');
    expect(await stateOf(conversations)).toMatchObject({ status: 'completed' });
  });

  it('ends when the export is canceled, which also stops one that is running', async () => {
    await insertContacts(2);
    const { job } = await exported({ resource: 'contacts' });
    expect((await org.post(`/exports/${job.id}/cancel`)).body).toMatchObject({ status: 'canceled', url: null });
    expect((await download(job.url)).status).toBe(404);
    expect((await org.post(`/exports/${job.id}/cancel`)).status).toBe(200);
    const ref = await insertQuietly();
    const cancel = async () => void (await org.post(`/exports/${ref.exportId}/cancel`));
    expect(await writeExport(deps, ref, cancel)).toMatchObject({ isEnded: true });
    expect(await stateOf(ref)).toMatchObject({ status: 'canceled', url: null });
  });
});

describe('who may export', () => {
  it('needs the scopes of the content, to begin one and to see it', async () => {
    const limited = await org.withScopes('contacts:read', 'training:read');
    const { job } = await exported({ resource: 'contacts' }, limited);
    const { job: hidden } = await exported({ resource: 'conversations' });
    for (const resource of ['conversations', 'deliveries', 'knowledge'])
      expect((await limited.post('/exports', { resource })).status).toBe(403);
    expect((await limited.get(`/exports/${hidden.id}`)).status).toBe(403);
    expect((await limited.post(`/exports/${hidden.id}/cancel`)).status).toBe(403);
    expect((await limited.get('/exports')).body.items.map(({ id }: { id: string }) => id)).toEqual([job.id]);
    expect((await org.get('/exports')).body.items).toHaveLength(2);
    expect((await stack.other.get(`/exports/${job.id}`)).status).toBe(404);
    expect((await stack.other.get('/exports')).body.items).toEqual([]);
  });

  it('has three under way at most', async () => {
    for (const _ of [1, 2, 3]) await insertQuietly();
    const { status, body } = await org.post('/exports', { resource: 'contacts' });
    expect([status, body.code, body.limit]).toEqual([429, 'too_many_at_once', 'exports']);
    const { body: page } = await org.get('/exports?limit=1');
    expect(page).toMatchObject({ items: [{ status: 'running', url: null }], next: expect.any(String) });
  });

  it('reads them in the order of creation or the newest first, page by page', async () => {
    const ids: string[] = [];
    for (const resource of ['contacts', 'knowledge', 'contacts']) ids.push((await exported({ resource })).job.id);
    const read = async (query: string) => {
      const { body: page } = await org.get(`/exports?${query}`);
      return { ids: page.items.map(({ id }: { id: string }) => id), next: page.next };
    };
    expect(await read('')).toEqual({ ids, next: null });
    const newest = await read('order=newest&limit=2');
    expect(newest).toEqual({ ids: [ids[2], ids[1]], next: expect.any(String) });
    expect(await read(`order=newest&limit=2&cursor=${newest.next}`)).toEqual({ ids: [ids[0]], next: null });
  });
});
