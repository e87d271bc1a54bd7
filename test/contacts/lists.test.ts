import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { READ_PLANNED_EACH_TIME } from '../../src/db/connections/preparing-client.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

type Item = { id: string; created_at: string; updated_at: string };

/**
 * Reads page after page until `isDone` and the end of the list. A page without a next one is read again from its
 * cursor.
 */
async function walk(org: TestOrg, query: string, isDone: () => boolean): Promise<Item[]> {
  const items: Item[] = [];
  let cursor = '';
  for (;;) {
    const wasDone = isDone();
    const { status, body } = await org.get(`/contacts?${query}${cursor}`);
    expect(status).toBe(200);
    items.push(...body.items);
    if (body.next !== null) cursor = `&cursor=${body.next}`;
    else if (wasDone) return items;
    else {
      const seen = (cursor === '' ? 0 : items.length) - body.items.length;
      items.length = Math.max(seen, 0); // the last page is read again from its beginning
      await sleep(5);
    }
  }
}

describe('the list of contacts', () => {
  it('skips no contact and repeats none when it is paged through during twenty concurrent writers', async () => {
    const org = await api.createOrg();
    const created = new Set<string>();
    let writing = true;
    const write = async (writer: number) => {
      for (let n = 0; n < 25; n += 1) {
        const email = `w${writer}-${n}@example.com`;
        const headers: Record<string, string> = n % 4 === 0 ? { 'idempotency-key': email } : {};
        const { body } =
          n % 5 === 0
            ? await org.post('/contacts/batch', { contacts: [{ email }, { email: `b${email}` }] }, { headers })
            : await org.post('/contacts', { contact: { email } }, { headers });
        for (const { id } of body.results ?? [body]) created.add(id);
      }
    };
    const writers = Promise.all(Array.from({ length: 20 }, (_, n) => write(n))).then(() => {
      writing = false;
    });
    const [seen] = await Promise.all([walk(org, 'limit=2', () => !writing), writers]);

    const ids = seen.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual([...created].sort());
    expect(seen).toEqual(seen.toSorted((a, b) => a.created_at.localeCompare(b.created_at) || (a.id < b.id ? -1 : 1)));
  });

  it.each(['has written', 'has not written yet'])(
    'waits for an open transaction that %s, so that its row is not skipped',
    async (state) => {
      const org = await api.createOrg();
      const opened = Promise.withResolvers<void>();
      const finished = Promise.withResolvers<void>();
      const late = crypto.randomUUID();
      const open = api.db.transaction().execute(async (trx) => {
        const insert = () =>
          trx
            .insertInto('contacts')
            .values({ org_id: org.id, id: late, email: null, phone_number: null, name: null })
            .execute();
        await sql`select 1`.execute(trx);
        if (state === 'has written') await insert();
        opened.resolve();
        await finished.promise;
        if (state !== 'has written') await insert();
      });
      await opened.promise;
      for (const n of [0, 1, 2]) await org.post('/contacts', { contact: { email: `t${n}@example.com` } });

      const { body: first } = await org.get('/contacts?limit=2');
      finished.resolve();
      await open;
      const rest = await walk(org, first.next === null ? 'limit=2' : `limit=2&cursor=${first.next}`, () => true);
      const ids = [...first.items, ...rest].map(({ id }) => id);
      expect(ids).toContain(late);
      expect([ids.length, new Set(ids).size]).toEqual([4, 4]);
    },
  );

  it('does not wait for a long search of another org, and misses nothing meanwhile', async () => {
    const org = await api.createOrg();
    const search = sql`${sql.raw(READ_PLANNED_EACH_TIME)} with long as materialized (select pg_sleep(6)) select * from long`;
    const searching = search.execute(api.db);
    await sleep(300);
    await org.post('/contacts', { contact: { email: 'ann@example.com' } });
    const begun = performance.now();
    const { body } = await org.get('/contacts');
    expect(performance.now() - begun).toBeLessThan(4_000);
    expect(body.items).toHaveLength(1);
    await searching;
  });

  it.each(['2026-01-31 12:00:00', '2026-01-31T12:00:00', '2026-01-31 12:00:00+02:00', '2026-01-31T12:00:00Z'])(
    'takes the time %s',
    async (time) => {
      const org = await api.createOrg();
      await org.post('/contacts', { contact: { email: 'ann@example.com' } });
      const found = await org.get(`/contacts?limit=1&updated_after=${encodeURIComponent(time)}&cursor=`);
      expect([found.status, found.body.items.length]).toEqual([200, 1]);
      expect((await org.get(`/contacts?updated_before=${time}`)).body.items).toEqual([]);
    },
  );

  it('refuses what is no time', async () => {
    for (const time of ['2026-01-31', '2026-02-31 12:00:00', 'yesterday', ''])
      expect((await api.org.get(`/contacts?updated_after=${time}`)).status).toBe(400);
  });

  it('includes every contact saved before the request', async () => {
    const org = await api.createOrg();
    for (let n = 1; n <= 20; n += 1) {
      await org.post('/contacts', { contact: { email: `n${n}@example.com` } });
      expect((await org.get('/contacts')).body.items).toHaveLength(n);
    }
  });

  it('is in the order of updates if it is requested by update', async () => {
    const org = await api.createOrg();
    const ids: string[] = [];
    for (const n of [0, 1, 2])
      ids.push((await org.post('/contacts', { contact: { email: `u${n}@example.com` } })).body.id);
    const [first, , third] = ids as [string, string, string];
    const { updated_at } = (await org.get(`/contacts/${third}`)).body;
    await sleep(5);
    await org.patch(`/contacts/${first}`, { contact: { name: 'changed' } });

    const listed = async (query: string) => (await org.get(`/contacts?${query}`)).body.items.map(({ id }: Item) => id);
    expect(await listed('updated_after=2000-01-01T00:00:00Z')).toEqual([ids[1], third, first]);
    expect(await listed(`updated_after=${updated_at}`)).toEqual([third, first]);
    expect(await listed(`updated_before=${updated_at}`)).toEqual([ids[1]]);
    const { created_at } = (await org.get(`/contacts/${third}`)).body;
    expect(await listed(`created_after=${created_at}`)).toEqual([third]);
    expect(await listed(`created_before=${created_at}`)).toEqual([first, ids[1]]);
  });

  it.each(['cursor=nonsense', 'limit=0', 'limit=101', 'created_after=yesterday', 'updated_before=5'])(
    'rejects the query %s',
    async (query) => {
      expect((await api.org.get(`/contacts?${query}`)).status).toBe(400);
    },
  );
});

describe('the search of contacts', () => {
  it('returns every match once over its pages, with few matches and with many', async () => {
    const org = await api.createOrg();
    const contacts = (part: number) =>
      Array.from({ length: 900 }, (_, n) => ({
        email: `s${part}-${n}@example.com`,
        custom_data: { third: String(n % 3), part: String(part) },
      }));
    for (const part of [0, 1, 2]) await org.post('/contacts/batch', { contacts: contacts(part) });

    const count = async (...attributes: object[]) => {
      const ids: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const filter = {
          or: attributes.map((map) => ({ and: [{ type: 'contacts_attributes_in', attributes: [map] }] })),
        };
        const { body } = await org.post('/contacts/search', { filter, ...(cursor === undefined ? {} : { cursor }) });
        ids.push(...body.items.map(({ id }: Item) => id));
        cursor = body.next;
      }
      expect(new Set(ids).size).toBe(ids.length);
      return ids.length;
    };
    expect(await count({ third: '1' })).toBe(900);
    expect(await count({ part: '2' })).toBe(900);
    expect(await count({ third: '1' }, { part: '2' }, { third: '1', part: '0' })).toBe(1500);
    expect(await count({ third: '9' })).toBe(0);
  });
});
