import { newId } from '../../../src/ids.ts';
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

const REFUNDS = { title: 'Refunds', content: 'A refund takes five days.' };

const create = async (item: object = {}) => (await org.post('/training', { ...REFUNDS, ...item })).body;
const versionsOf = async (id: string) => (await org.get(`/training/${id}/versions`)).body.items;
const textsOf = async (id: string): Promise<[number, string, string][]> =>
  (await versionsOf(id)).map(({ version, title, content }: { version: number; title: string; content: string }) => [
    version,
    title,
    content,
  ]);
const found = async (query: string): Promise<string[]> =>
  (await org.post('/training/search', { query })).body.results.map(({ id }: { id: string }) => id);
const rollBack = (id: string, version: unknown, of = org) => of.post(`/training/${id}/rollback`, { version });

describe('versions of training', () => {
  it('are made by each publication of a changed text, and say when and by which key', async () => {
    const item = await create();
    const { body: changed } = await org.patch(`/training/${item.id}`, { content: 'It takes six days.' });
    expect([item.current_version, changed.current_version]).toEqual([1, 2]);
    const [first, second] = await versionsOf(item.id);
    const [key] = (await org.get('/org/api-keys')).body.items;
    expect(first).toEqual({ ...REFUNDS, version: 1, published_at: item.published_at, published_key_id: key.id });
    expect(second).toMatchObject({ version: 2, content: 'It takes six days.', published_at: changed.published_at });
    expect((await org.get(`/training/${item.id}/versions/1`)).body).toEqual(first);
  });

  it('are not made by a change of anything else, or by the same text again', async () => {
    const { id } = await create();
    await org.patch(`/training/${id}`, { visibility: 'public', restricted_to_channels: ['web'] });
    await org.patch(`/training/${id}`, REFUNDS);
    await org.put(`/training/${id}/directory`, { directory_id: null });
    for (const is_draft of [true, false, true, false]) await org.put(`/training/${id}/draft`, { is_draft });
    expect(await textsOf(id)).toEqual([[1, 'Refunds', 'A refund takes five days.']]);
    expect((await org.get(`/training/${id}`)).body).toMatchObject({ current_version: 1, draft_title: null });
  });

  it('are not made by a draft before it is published', async () => {
    const item = await create({ is_draft: true });
    expect(item).toMatchObject({ current_version: null, published_at: null, draft_title: 'Refunds' });
    const { body } = await org.patch(`/training/${item.id}`, { content: 'It takes two days.' });
    expect(body).toMatchObject({ draft_content: 'It takes two days.', content: 'It takes two days.' });
    expect(await versionsOf(item.id)).toEqual([]);
    const published = await org.put(`/training/${item.id}/draft`, { is_draft: false });
    expect(published.body).toMatchObject({ current_version: 1, draft_title: null, draft_content: null });
    expect(await textsOf(item.id)).toEqual([[1, 'Refunds', 'It takes two days.']]);
  });

  it('are listed in pages, the oldest first', async () => {
    const { id } = await create();
    for (const title of ['Two', 'Three']) await org.patch(`/training/${id}`, { title });
    const { items, next } = (await org.get(`/training/${id}/versions?limit=2`)).body;
    const rest = (await org.get(`/training/${id}/versions?limit=2&cursor=${next}`)).body;
    const numbers = [...items, ...rest.items].map(({ version }: { version: number }) => version);
    expect([numbers, rest.next]).toEqual([[1, 2, 3], null]);
  });

  it('are numbered without a gap where changes come at once', async () => {
    const { id } = await create();
    await Promise.all(['A', 'B', 'C', 'D'].map((title) => org.patch(`/training/${id}`, { title })));
    const texts = await textsOf(id);
    expect(texts.map(([version]) => version)).toEqual([1, 2, 3, 4, 5]);
    expect((await org.get(`/training/${id}`)).body).toMatchObject({ current_version: 5, title: texts[4]?.[1] });
  });

  it('are kept up to the newest 100', async () => {
    const { id } = await create();
    await api.db.updateTable('training_items').set({ version: 100 }).where('id', '=', id).execute();
    await org.patch(`/training/${id}`, { title: 'Version 101' });
    expect(await textsOf(id)).toEqual([[101, 'Version 101', REFUNDS.content]]);
    const { status, body } = await rollBack(id, 1);
    expect([status, body.message]).toEqual([404, expect.stringContaining('the newest 100 versions are kept')]);
  });

  it('are deleted with their item', async () => {
    const { id } = await create();
    await org.delete(`/training/${id}`);
    expect((await org.get(`/training/${id}/versions`)).status).toBe(404);
    const rows = await api.db.selectFrom('training_versions').select('id').where('training_id', '=', id).execute();
    expect(rows).toEqual([]);
  });
});

describe('a rollback of training', () => {
  it('publishes the old text as a new version, and the search follows', async () => {
    const { id } = await create({ visibility: 'public' });
    await org.patch(`/training/${id}`, { title: 'Parcels', content: 'Shipping is free.' });
    expect([await found('refund'), await found('shipping')]).toEqual([[], [id]]);
    const { status, body } = await rollBack(id, 1);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ ...REFUNDS, visibility: 'public', current_version: 3, is_draft: false }),
    ]);
    expect([await found('refund'), await found('shipping')]).toEqual([[id], []]);
    expect((await textsOf(id)).map(([version, title]) => [version, title])).toEqual([
      [1, 'Refunds'],
      [2, 'Parcels'],
      [3, 'Refunds'],
    ]);
  });

  it('publishes a draft, and makes no version of the text that is in use', async () => {
    const { id } = await create();
    expect((await rollBack(id, 1)).body).toMatchObject({ current_version: 1 });
    await org.patch(`/training/${id}`, { is_draft: true, content: 'Not done yet.' });
    expect((await rollBack(id, 1)).body).toMatchObject({ ...REFUNDS, is_draft: false, current_version: 1 });
    expect([await found('refund'), (await textsOf(id)).length]).toEqual([[id], 1]);
  });

  it('with an Idempotency-Key happens once', async () => {
    const { id } = await create();
    await org.patch(`/training/${id}`, { title: 'Parcels' });
    const headers = { 'idempotency-key': newId() };
    const answers = [];
    for (const _ of [1, 2]) answers.push(await org.post(`/training/${id}/rollback`, { version: 1 }, { headers }));
    expect(answers.map(({ body }) => body.current_version)).toEqual([3, 3]);
    expect((await textsOf(id)).length).toBe(3);
  });

  it('is refused where the old instructions are too long together with others', async () => {
    const TONE = { title: 'Tone', type: 'BEHAVIORAL' };
    const { id } = await create({ ...TONE, content: 'x'.repeat(40_000) });
    await org.patch(`/training/${id}`, { content: 'Be brief.' });
    await create({ ...TONE, content: 'y'.repeat(40_000) });
    expect(await rollBack(id, 1)).toMatchObject({ status: 409, body: { message: expect.stringMatching(/^content/) } });
    expect((await org.get(`/training/${id}`)).body).toMatchObject({ content: 'Be brief.', current_version: 2 });
    expect((await textsOf(id)).length).toBe(2);
  });

  it.each([['x'], [0], [1.5], [null], [undefined], [2 ** 31]])('to version %s is a 400', async (version) => {
    const { id } = await create();
    const { status, body } = await rollBack(id, version);
    expect([status, body.issues?.[0].path]).toEqual([400, 'body.version']);
  });

  it('and the versions of another org’s item, or of no item, are not found', async () => {
    const { id } = await create();
    const other = api.other;
    const answers = [
      await rollBack(id, 1, other),
      await other.get(`/training/${id}/versions`),
      await other.get(`/training/${id}/versions/1`),
      await rollBack(newId(), 1),
      await rollBack(id, 7),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await org.get(`/training/${id}/versions/x`)).status).toBe(400);
  });
});
