import { sql } from 'kysely';
import { startApi, type TestApi } from '../../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ isInProcess: true });
});
afterAll(() => api.close());

let count = 0;
const fresh = () => {
  count += 1;
  return {
    external_id: `crm-${count}`,
    email: `e${count}@example.com`,
    phone: `+4420794${String(count).padStart(5, '0')}`,
  };
};
const save = (contact: object, client = api.org) => client.post('/contacts', { contact });
const patch = (id: string, contact: object) => api.org.patch(`/contacts/${id}`, { contact });
const get = async (id: string) => (await api.org.get(`/contacts/${id}`)).body;
const conflictWith = (id: string, field: string) => ({
  status: 409,
  body: {
    code: 'already_exists',
    conflicting: { type: 'contact', id, field },
    message: expect.stringContaining(field),
  },
});

describe('the external id of a contact', () => {
  it('finds the contact again whatever else has changed, in a save and in a batch', async () => {
    const one = fresh();
    const { body } = await save(one);
    const moved = { ...fresh(), external_id: one.external_id };
    expect(await save(moved)).toMatchObject({ status: 201, body: { id: body.id } });
    expect(await get(body.id)).toMatchObject(moved);
    const batch = await api.org.post('/contacts/batch', {
      contacts: [
        { external_id: one.external_id, name: 'Ada' },
        { external_id: 'crm-of-batch' },
        { external_id: 'crm-of-batch', name: 'Bo' },
      ],
    });
    const [first, second, third] = batch.body.results;
    expect(first).toEqual({ id: body.id, created: false });
    expect(second).toMatchObject({ created: true });
    expect(third).toEqual({ id: second.id, created: false });
    expect(await get(body.id)).toMatchObject({ name: 'Ada', external_id: one.external_id });
  });

  it('is unique in the org and free in others', async () => {
    const { external_id } = fresh();
    const { body } = await save({ external_id });
    expect((await save({ external_id }, api.other)).body.id).not.toBe(body.id);
    const { body: second } = await save(fresh());
    expect(await patch(second.id, { external_id })).toMatchObject(conflictWith(body.id, 'external_id'));
  });

  it('is given to a contact that is found by its e-mail or number and has none', async () => {
    const { external_id, ...address } = fresh();
    const { body } = await save(address);
    expect(await save({ external_id, phone: address.phone })).toMatchObject({ body: { id: body.id } });
    expect(await get(body.id)).toMatchObject({ external_id });
  });

  it('is not replaced by a save that finds the contact by an address, which names the contact; a change by id does it', async () => {
    const one = fresh();
    const { body } = await save(one);
    const { external_id } = fresh();
    expect(await save({ email: one.email, external_id })).toMatchObject(conflictWith(body.id, 'external_id'));
    const { results } = (await api.org.post('/contacts/batch', { contacts: [{ phone: one.phone, external_id }] })).body;
    expect(results).toEqual([{ error: expect.stringContaining('has another external id') }]);
    expect((await patch(body.id, { external_id })).status).toBe(200);
    expect((await save({ external_id: one.external_id })).body.id).not.toBe(body.id);
  });

  it('goes before addresses: an address of another contact is a 409 that names that one', async () => {
    const one = fresh();
    const two = fresh();
    const [{ body: first }, { body: second }] = [await save(one), await save(two)];
    const mixed = await save({ external_id: one.external_id, email: two.email });
    expect(mixed).toMatchObject(conflictWith(second.id, 'email'));
    const crossed = await save({ external_id: two.external_id, phone: one.phone });
    expect(crossed).toMatchObject(conflictWith(first.id, 'phone'));
  });

  it('is removed by null and then free for another contact, as are e-mail, number and name', async () => {
    const one = { ...fresh(), name: 'Ada' };
    const { body } = await save(one);
    const nothing = { external_id: null, email: null, phone: null, name: null };
    expect((await patch(body.id, nothing)).status).toBe(200);
    expect(await get(body.id)).toMatchObject({ ...nothing, phone_number: null });
    expect((await save(one)).body.id).not.toBe(body.id);
  });

  it('finds contacts in the list and by a filter', async () => {
    const one = fresh();
    const { body } = await save(one);
    const { items } = (await api.org.get(`/contacts?external_id=${one.external_id}`)).body;
    expect(items).toEqual([expect.objectContaining({ id: body.id, external_id: one.external_id })]);
    const filter = { or: [{ and: [{ type: 'contacts_external_id_in', external_id_in: [one.external_id, 'none'] }] }] };
    expect((await api.org.post('/contacts/search', { filter })).body.items).toEqual(items);
    expect((await api.other.post('/contacts/search', { filter })).body.items).toEqual([]);
  });

  it('is made once by twenty saves at once', async () => {
    const { external_id } = fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => save({ external_id, name: `n${n}` })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('is erased with the contact', async () => {
    const { external_id } = fresh();
    const { body } = await save({ external_id });
    await patch(body.id, { name: 'x' });
    expect((await api.org.delete(`/contacts/${body.id}`)).status).toBe(200);
    const { rows } = await sql`select 1 from contacts where external_id = ${external_id}`.execute(api.db);
    expect(rows).toEqual([]);
    expect((await save({ external_id })).body.id).not.toBe(body.id);
  });

  it.each([[''], ['x'.repeat(256)], [5]])('is a text of 1 to 255 characters: %j is a 400', async (external_id) => {
    const { status, body } = await save({ external_id });
    expect([status, body.issues[0].path]).toEqual([400, 'body.contact.external_id']);
  });
});

describe('the phone number of a contact', () => {
  it('is taken and given by both of its names', async () => {
    const { phone } = fresh();
    const { body } = await save({ phone_number: phone });
    expect(await get(body.id)).toMatchObject({ phone, phone_number: phone });
    expect(await save({ phone, phone_number: phone })).toMatchObject({ status: 201, body: { id: body.id } });
  });

  it('differing by its two names is a 400 that says so, in a batch too', async () => {
    const contact = { phone: fresh().phone, phone_number: fresh().phone };
    const { status, body } = await save(contact);
    expect([status, body.issues]).toEqual([
      400,
      [{ path: 'body.contact.phone_number', message: expect.stringContaining('differs from phone') }],
    ]);
    const { results } = (await api.org.post('/contacts/batch', { contacts: [contact] })).body;
    expect(results).toEqual([{ error: expect.stringContaining('differs from phone') }]);
  });
});
