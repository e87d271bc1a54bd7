import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
});

const newDirectory = async (name = 'Billing', of = org): Promise<string> => {
  const { status, body } = await of.post('/training/directories', { name });
  expect([status, body.name]).toEqual([201, name]);
  return body.id;
};
const newItem = async (directory_id: string | null = null): Promise<string> =>
  (await org.post('/training', { title: 'T', content: 'Text', directory_id })).body.id;
const directoryOf = async (id: string) => (await org.get(`/training/${id}`)).body.directory_id;

describe('directories of training', () => {
  it('have a name without a body too', async () => {
    const { status, body } = await org.post('/training/directories');
    expect([status, body.name]).toEqual([201, 'New directory']);
    expect((await org.patch(`/training/directories/${body.id}`)).body.name).toBe('New directory');
  });

  it('are created, listed, renamed and deleted', async () => {
    const id = await newDirectory();
    const second = await newDirectory('Second');
    const { items, next } = (await org.get('/training/directories')).body;
    const times = { created_at: expect.any(String), updated_at: expect.any(String) };
    expect([items, next]).toEqual([
      [
        { id, name: 'Billing', ...times },
        { id: second, name: 'Second', ...times },
      ],
      null,
    ]);
    const page = (await org.get('/training/directories?limit=1')).body;
    expect((await org.get(`/training/directories?cursor=${page.next}`)).body.items).toEqual([items[1]]);

    const renamed = { ...items[0], name: 'Payments', updated_at: expect.any(String) };
    expect((await org.patch(`/training/directories/${id}`, { name: 'Payments' })).body).toEqual(renamed);
    expect(await org.delete(`/training/directories/${second}`)).toMatchObject({ status: 200, body: '' });
    expect((await org.get('/training/directories')).body.items).toEqual([renamed]);
    expect((await org.delete(`/training/directories/${second}`)).status).toBe(404);
  });

  it('contain items: items can be moved between directories and listed by directory', async () => {
    const [billing, shipping] = [await newDirectory(), await newDirectory('Shipping')];
    const item = await newItem(billing);
    const other = await newItem();
    const listed = async (id: string) =>
      (await org.get(`/training?directory_id=${id}`)).body.items.map((row: { id: string }) => row.id);
    expect([await listed(billing), await listed(shipping)]).toEqual([[item], []]);
    const moved = await org.put(`/training/${item}/directory`, { directory_id: shipping });
    expect([moved.status, moved.body.directory_id]).toEqual([200, shipping]);
    await org.patch(`/training/${other}`, { directory_id: shipping });
    expect([await listed(billing), await listed(shipping)]).toEqual([[], [item, other]]);
    await org.put(`/training/${item}/directory`, { directory_id: null });
    expect(await directoryOf(item)).toBeNull();
  });

  it('keep their items when they are deleted', async () => {
    const id = await newDirectory();
    const item = await newItem(id);
    await org.delete(`/training/directories/${id}`);
    expect(await directoryOf(item)).toBeNull();
    const { body } = await org.post('/training/search', { query: 'text' });
    expect(body.results.map((result: { id: string }) => result.id)).toEqual([item]);
  });

  it('directories of another org are not found', async () => {
    const id = await newDirectory('Theirs', api.other);
    expect((await org.patch(`/training/directories/${id}`, { name: 'Mine' })).status).toBe(404);
    expect((await org.delete(`/training/directories/${id}`)).status).toBe(404);
    expect((await org.get(`/training?directory_id=${id}`)).body.items).toEqual([]);
    const item = await newItem();
    const refused = await org.put(`/training/${item}/directory`, { directory_id: id });
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'body.directory_id']);
    expect(await directoryOf(item)).toBeNull();
    const { items } = (await api.other.get('/training/directories')).body;
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['Theirs']);
  });

  it.each([{ name: '' }, { name: null }, { name: 'x'.repeat(256) }, { name: 'a\0' }])(
    'are refused with the body %j',
    async (body) => {
      const answer = await org.post('/training/directories', body);
      expect([answer.status, answer.body.issues[0].path]).toEqual([400, 'body.name']);
    },
  );
});
