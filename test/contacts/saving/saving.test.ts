import { sql } from 'kysely';
import { resolveContacts } from '../../../src/contacts/service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let count = 0;
const fresh = () => {
  count += 1;
  return { email: `p${count}@example.com`, phone: `+4420794${String(count).padStart(5, '0')}` };
};
const save = async (contact: object) => api.org.post('/contacts', { contact });
const get = async (id: string) => (await api.org.get(`/contacts/${id}`)).body;
const eventsOf = (id: string) =>
  api.db.selectFrom('outbox').select(['type', 'payload']).where('subject_id', '=', id).orderBy('id').execute();

describe('a save', () => {
  it('a save of a contact creates a contact and announces it once', async () => {
    const { email } = fresh();
    const { status, body } = await save({
      email: email.toUpperCase(),
      phone: '+44 20 7946 0958',
      name: 'Ada',
      custom_data: { plan: 'pro', gone: null },
    });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['id']);
    expect(await get(body.id)).toEqual({
      id: body.id,
      email,
      phone_number: '+442079460958',
      phone: '+442079460958',
      external_id: null,
      name: 'Ada',
      custom_data: { plan: 'pro' },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    expect(await eventsOf(body.id)).toEqual([{ type: 'contact-created', payload: {} }]);
  });

  it('a save of a contact merges into the contact with the same e-mail: absent fields stay, keys merge, null removes', async () => {
    const { email } = fresh();
    const { body: first } = await save({ email, name: 'Ada', custom_data: { a: '1', b: '2' } });
    const { status, body: second } = await save({ email: email.toUpperCase(), custom_data: { b: null, c: '3' } });
    expect([status, second.id]).toEqual([201, first.id]);
    expect(await get(first.id)).toMatchObject({ name: 'Ada', custom_data: { a: '1', c: '3' } });
    const [, updated] = await eventsOf(first.id);
    expect(updated).toMatchObject({
      type: 'contact-updated',
      payload: { before: { id: first.id, custom_data: { a: '1', b: '2' } } },
    });
  });

  it('a save of a contact stores values for HTTP actions encrypted, and takes the same values sent again for no change', async () => {
    const { email } = fresh();
    const contact = { email, http_action_overrides: { headers: { authorization: 'Bearer of-ada' } } };
    const { body } = await save(contact);
    expect((await save(contact)).body.id).toBe(body.id);
    expect((await api.org.post('/contacts/batch', { contacts: [contact] })).body.results).toEqual([
      { id: body.id, created: false },
    ]);
    const { rows } = await sql<{
      row: string;
    }>`select contacts::text as row from contacts where id = ${body.id}`.execute(api.db);
    expect(rows).toEqual([{ row: expect.stringContaining('fingerprint') }]);
    expect(rows[0]?.row).not.toContain('of-ada');
    expect(await eventsOf(body.id)).toEqual([{ type: 'contact-created', payload: {} }]);
  });

  it('a save of a contact refuses values for HTTP actions above 64 KiB', async () => {
    const headers = Object.fromEntries(Array.from({ length: 100 }, (_, nth) => [`x-${nth}`, 'a'.repeat(700)]));
    const { status, body } = await save({ ...fresh(), http_action_overrides: { headers } });
    expect([status, body.message]).toEqual([400, expect.stringContaining('http_action_overrides: would be larger')]);
  });

  it('a save of a contact merges into the contact with the same phone number in any spelling, and sets the new e-mail', async () => {
    const { email, phone } = fresh();
    const { body: first } = await save({ phone });
    const { body: second } = await save({
      phone: `${phone.slice(0, 3)} (${phone.slice(3, 5)}) ${phone.slice(5)}`,
      email,
    });
    expect(second.id).toBe(first.id);
    expect(await get(first.id)).toMatchObject({ email, phone_number: phone });
  });

  it('a save of a contact without changes is not announced and leaves updated_at unchanged', async () => {
    const { email } = fresh();
    const { body } = await save({ email, name: '', custom_data: { a: '1' } });
    const before = await get(body.id);
    await save({ email, name: '', custom_data: { a: '1', b: null } });
    expect(await get(body.id)).toEqual(before);
    expect(before.name).toBe('');
    expect(await eventsOf(body.id)).toHaveLength(1);
  });

  it.each(['ext 5', 'x7', ';ext=8', ',,12', 'abc', '#12'])(
    'a number with %s behind it is refused: without that it is somebody else’s',
    async (behind) => {
      const { status, body } = await save({ phone: `+49 30 123456 ${behind}` });
      expect([status, body.message]).toEqual([400, expect.stringContaining('without an extension')]);
    },
  );

  it('a number is taken with the marks of direction and the spaces of an address book', async () => {
    const { body } = await save({ phone: '\u202a+44\u00a020 7946 0959\u202c' });
    expect(await get(body.id)).toMatchObject({ phone_number: '+442079460959' });
  });

  it('a save of a contact with the e-mail of one contact and the phone number of another is a 409 naming the field', async () => {
    const one = fresh();
    const two = fresh();
    await save({ email: one.email });
    await save({ phone: two.phone });
    const { status, body } = await save({ email: one.email, phone: two.phone });
    expect(status).toBe(409);
    expect(body.message).toContain('phone');
  });

  it.each([
    [{ email: 'not an address' }, 'body.contact.email'],
    [{ email: 'a@b' }, 'body.contact.email'],
    [{ email: `${'a'.repeat(250)}@example.com` }, 'body.contact.email'],
    [{ phone: '0207946095' }, 'body.contact.phone'],
    [{ phone: '+44' }, 'body.contact.phone'],
    [{ name: 5 }, 'body.contact.name'],
    [{ name: 'x'.repeat(1001) }, 'body.contact.name'],
    [{ custom_data: { a: 1 } }, 'body.contact.custom_data.a'],
    [{ custom_data: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [n, 'x'])) }, 'body.contact.custom_data'],
    [{ http_action_overrides: { headers: { a: 1 } } }, 'body.contact.http_action_overrides.headers.a'],
  ])('a save of %j is rejected with the path of the field', async (contact, path) => {
    const { status, body } = await save(contact);
    expect(status).toBe(400);
    expect(body.issues.map((issue: { path: string }) => issue.path)).toContain(path);
  });

  it('a save of a contact never lets custom_data exceed its limit by merging', async () => {
    const { email } = fresh();
    const keys = (from: number) => Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`k${from + n}`, 'x']));
    await save({ email, custom_data: keys(0) });
    expect(await save({ email, custom_data: keys(60) })).toMatchObject({ status: 400 });
    expect(await save({ email, custom_data: keys(30) })).toMatchObject({ status: 201 });
  });

  it('fifty concurrent requests with one e-mail create one contact and one event', async () => {
    const { email } = fresh();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => save({ email, custom_data: { [`k${n}`]: 'x' } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const [id, ...others] = new Set(answers.map(({ body }) => body.id));
    expect(others).toEqual([]);
    expect(Object.keys((await get(id)).custom_data)).toHaveLength(50);
    const types = (await eventsOf(id)).map(({ type }) => type);
    expect(types.filter((type) => type === 'contact-created')).toHaveLength(1);
    expect(types.filter((type) => type === 'contact-updated')).toHaveLength(49);
  });
});

describe('a change by id', () => {
  it('a change of a contact by id changes the given fields and returns an empty response', async () => {
    const { email, phone } = fresh();
    const { body } = await save({ email, name: 'Ada' });
    const { status, body: answer } = await api.org.patch(`/contacts/${body.id}`, { contact: { phone } });
    expect([status, answer]).toEqual([200, '']);
    expect(await get(body.id)).toMatchObject({ email, phone_number: phone, name: 'Ada' });
  });

  it("a change of a contact by id to the e-mail or phone number of another contact is a 409, to the contact's own is not", async () => {
    const one = fresh();
    const two = fresh();
    const { body } = await save(one);
    await save(two);
    expect(await api.org.patch(`/contacts/${body.id}`, { contact: { email: two.email } })).toMatchObject({
      status: 409,
    });
    expect(await api.org.patch(`/contacts/${body.id}`, { contact: { phone: two.phone } })).toMatchObject({
      status: 409,
    });
    expect(await api.org.patch(`/contacts/${body.id}`, { contact: one })).toMatchObject({ status: 200 });
  });

  it('a contact is found, changed and deleted by its id in upper case too', async () => {
    const { body } = await api.org.post('/contacts', { contact: { email: 'upper@example.com' } });
    const path = `/contacts/${body.id.toUpperCase()}`;
    expect((await api.org.patch(path, { contact: { name: 'Upper' } })).status).toBe(200);
    expect((await api.org.get(path)).body).toMatchObject({ id: body.id, name: 'Upper' });
    expect((await api.org.delete(path)).status).toBe(200);
  });

  it('a change of an unknown contact, or of another org’s, is a 404, as are GET and DELETE', async () => {
    const { body } = await save(fresh());
    for (const [client, id] of [
      [api.org, crypto.randomUUID()],
      [api.other, body.id],
    ] as const) {
      expect((await client.get(`/contacts/${id}`)).status).toBe(404);
      expect((await client.patch(`/contacts/${id}`, { contact: { name: 'x' } })).status).toBe(404);
      expect((await client.delete(`/contacts/${id}`)).status).toBe(404);
    }
    expect((await api.org.delete(`/contacts/${body.id}`)).status).toBe(200);
    expect((await api.org.get(`/contacts/${body.id}`)).status).toBe(404);
  });

  it('a change of a contact by id to one unused e-mail by several contacts at once succeeds for only one of them', async () => {
    const { email } = fresh();
    const contacts = await Promise.all(Array.from({ length: 8 }, () => save({ phone: fresh().phone })));
    const answers = await Promise.all(
      contacts.map(({ body }) => api.org.patch(`/contacts/${body.id}`, { contact: { email } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  });
});

describe('a batch', () => {
  it('a batch of contacts returns a result for each contact, in order, and merges repeated contacts', async () => {
    const old = fresh();
    const one = fresh();
    const two = fresh();
    const { body: known } = await save({ email: old.email, name: 'Old' });
    const { status, body } = await api.org.post('/contacts/batch', {
      contacts: [
        { email: one.email, custom_data: { a: '1', b: '1' } },
        { email: 'wrong' },
        { email: old.email, phone: old.phone },
        { email: one.email.toUpperCase(), phone: one.phone, custom_data: { a: '2', b: null } },
        { phone: one.phone, name: 'One' },
        { email: old.email, phone: one.phone },
        'no contact',
        two,
      ],
    });
    expect(status).toBe(200);
    const [first, wrong, merged, again, byPhone, torn, none, last] = body.results;
    expect(first).toEqual({ id: expect.any(String), created: true });
    expect([merged, again, byPhone]).toEqual([
      { id: known.id, created: false },
      { id: first.id, created: false },
      { id: first.id, created: false },
    ]);
    expect([wrong, torn, none]).toEqual([
      { error: expect.stringContaining('email') },
      { error: expect.stringContaining('phone') },
      { error: expect.any(String) },
    ]);
    expect(last.created).toBe(true);
    expect(await get(first.id)).toMatchObject({
      email: one.email,
      phone_number: one.phone,
      name: 'One',
      custom_data: { a: '2' },
    });
    expect((await eventsOf(first.id)).map(({ type }) => type)).toEqual(['contact-created']);
    expect((await eventsOf(known.id)).map(({ type }) => type)).toEqual(['contact-created', 'contact-updated']);
  });

  it('a batch of contacts lets a contact use an address given up by an earlier contact of the batch', async () => {
    const one = fresh();
    const two = fresh();
    const [{ body: first }, { body: second }] = [await save(one), await save({ email: two.email })];
    const { body } = await api.org.post('/contacts/batch', {
      contacts: [
        { email: one.email, phone: two.phone },
        { email: two.email, phone: one.phone },
      ],
    });
    expect(body.results).toEqual([
      { id: first.id, created: false },
      { id: second.id, created: false },
    ]);
    expect([(await get(first.id)).phone_number, (await get(second.id)).phone_number]).toEqual([two.phone, one.phone]);
  });

  it('a batch of contacts accepts up to a thousand contacts, and concurrent batches of the same contacts return the same ids', async () => {
    const contacts = Array.from({ length: 1000 }, () => ({ email: fresh().email }));
    const answers = await Promise.all([0, 1, 2, 3].map(() => api.org.post('/contacts/batch', { contacts })));
    const ids = answers.map(({ body }) => body.results.map(({ id }: { id: string }) => id));
    for (const other of ids) expect(other).toEqual(ids[0]);
    const made = answers.flatMap(({ body }) => body.results.filter(({ created }: { created: boolean }) => created));
    expect(made).toHaveLength(1000);
    expect(await api.org.post('/contacts/batch', { contacts: [...contacts, {}] })).toMatchObject({ status: 400 });
  });
});

describe('references to contacts', () => {
  it('references to contacts resolve to existing contacts, and create contacts for unknown addresses', async () => {
    const known = fresh();
    const unknown = fresh();
    const { body } = await save(known);
    const { body: foreign } = await api.other.post('/contacts', { contact: fresh() });
    const refs = [
      { id: body.id },
      { email: known.email },
      { phone_number: known.phone },
      { email: unknown.email },
      { email: unknown.email },
      { phone_number: unknown.phone },
      { id: foreign.id },
      { id: crypto.randomUUID() },
    ];
    const resolved = await inTransaction(api.db, (trx) => resolveContacts(trx, api.org.id, refs));
    expect(resolved.map(({ ref }) => ref)).toEqual(refs);
    const [a, b, c, d, e, f, ...unfound] = resolved.map(({ contactId }) => contactId);
    expect([a, b, c]).toEqual([body.id, body.id, body.id]);
    expect(d).toBe(e);
    expect(f).not.toBe(d);
    expect(unfound).toEqual([undefined, undefined]);
    expect(await get(d as string)).toMatchObject({ email: unknown.email, name: null });
    expect(await eventsOf(d as string)).toEqual([{ type: 'contact-created', payload: {} }]);
  });
});
