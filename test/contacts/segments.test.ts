import { compileFilter } from '../../src/contacts/filters/service.ts';
import { listSegmentsOf } from '../../src/contacts/segments/service.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const named = (name: string) => ({ or: [{ and: [{ type: 'contacts_name_in', name_in: [name] }] }] });
const inside = (segment_id: string) => ({ or: [{ and: [{ type: 'contact_belongs_to_segment', segment_id }] }] });
const create = async (filter: unknown, name = 'Segment') => api.org.post('/segments', { name, filter });

it('a segment can be created, listed, changed and deleted', async () => {
  const { status, body } = await create(named('Ada'), 'Adas');
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    name: 'Adas',
    filter: named('Ada'),
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect((await api.org.get(`/segments/${body.id}`)).body).toEqual(body);
  expect((await api.org.get('/segments')).body).toEqual({ items: [body], next: null });
  const { body: changed } = await api.org.patch(`/segments/${body.id}`, { filter: null });
  expect(changed).toMatchObject({ name: 'Adas', filter: null });
  expect((await api.org.delete(`/segments/${body.id}`)).status).toBe(200);
  for (const method of ['get', 'delete'] as const) {
    expect((await api.org[method](`/segments/${body.id}`)).status).toBe(404);
  }
});

it('a segment cannot contain itself, directly or through another', async () => {
  const { body: inner } = await create(named('Ada'));
  expect(await api.org.patch(`/segments/${inner.id}`, { filter: inside(inner.id) })).toMatchObject({ status: 400 });
  expect(await api.org.patch(`/segments/${inner.id}`, { filter: inside(inner.id.toUpperCase()) })).toMatchObject({
    status: 400,
  });
  const { body: outer } = await create(inside(inner.id));
  const { status, body } = await api.org.patch(`/segments/${inner.id}`, { filter: inside(outer.id) });
  expect(status).toBe(400);
  expect(body.message).toContain('cannot contain itself');
});

it('two concurrent changes never create a cycle of segments', async () => {
  const [one, two] = [(await create(named('a'))).body, (await create(named('b'))).body];
  const answers = await Promise.all([
    api.org.patch(`/segments/${one.id}`, { filter: inside(two.id) }),
    api.org.patch(`/segments/${two.id}`, { filter: inside(one.id) }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});

it('a segment can only contain segments of its org, and none nested too deeply', async () => {
  const { body: foreign } = await api.other.post('/segments', { name: 'x', filter: null });
  for (const id of [foreign.id, crypto.randomUUID(), `'; drop table segments; --`]) {
    const { status, body } = await create(inside(id));
    expect(status).toBe(400);
    expect(body.issues[0].path).toBe('body.filter.or.0.and.0.segment_id');
  }
  let { body } = await create(named('Ada'));
  for (let depth = 0; depth < 5; depth += 1) ({ body } = await create(inside(body.id)));
  expect(body.message ?? 'fine').toBe('fine');
  expect(await create(inside(body.id))).toMatchObject({ status: 400 });
});

it('a filter by a deleted segment, or by an existing cycle of segments, matches nobody', async () => {
  await api.org.post('/contacts', { contact: { name: 'Ada' } });
  const { body } = await create(null);
  const matching = async (id: string) => {
    const condition = await compileFilter(api.db, api.org.id, inside(id) as never);
    const rows = await api.db
      .selectFrom('contacts')
      .select('id')
      .where('org_id', '=', api.org.id)
      .where(condition)
      .execute();
    return rows.length;
  };
  expect(await matching(body.id)).toBe(1);
  await api.db
    .updateTable('segments')
    .set({ filter: JSON.stringify(inside(body.id)) })
    .where('id', '=', body.id)
    .execute();
  expect(await matching(body.id)).toBe(0);
  await api.org.delete(`/segments/${body.id}`);
  expect(await matching(body.id)).toBe(0);
});

it('a segment accepts the full set of filters, and no other property', async () => {
  expect(
    await create({ or: [{ and: [{ type: 'contacts_sessions_attributes_in', attributes: [{ a: 'b' }] }] }] }),
  ).toMatchObject({ status: 201 });
  for (const filter of [
    { or: [] },
    { or: [{ and: [{ type: 'all_contacts', more: 1 }] }] },
    { or: [{ and: [], more: 1 }] },
    { or: [{ and: [] }], more: 1 },
    { or: [{ and: [{ type: 'contacts_created_at_between', after: 5 }] }] },
  ]) {
    expect(await create(filter)).toMatchObject({ status: 400 });
  }
});

it('a contact belongs to any number of segments', async () => {
  const { body: contact } = await api.org.post('/contacts', { contact: { email: 'many@example.com', name: 'Many' } });
  const made = await Promise.all(
    Array.from({ length: 205 }, (_, nth) => create(named(nth % 2 === 0 ? 'Many' : 'Nobody'), `Segment ${nth}`)),
  );
  const ids = made.map(({ body }) => body.id as string);
  const found = await listSegmentsOf(api.db, api.org.id, contact.id, ids);
  expect(found).toEqual(ids.filter((_, nth) => nth % 2 === 0));
});
