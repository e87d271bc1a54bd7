import { newId } from '../../../src/ids.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

const MAX_INSTRUCTIONS = 100;

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

async function create(item: object = {}, of = org) {
  const { status, body } = await of.post('/training', { ...REFUNDS, ...item });
  expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(String) })]);
  return body;
}
const found = async (query = 'refund', more: object = {}): Promise<string[]> => {
  const { status, body } = await org.post('/training/search', { query, ...more });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.results.map(({ id }: { id: string }) => id);
};
const newSegment = async (of = org): Promise<string> =>
  (await of.post('/segments', { name: 'S', filter: null })).body.id;

describe('training', () => {
  it('is created with defaults, returned, listed, changed and deleted', async () => {
    const item = await create();
    expect(item).toEqual({
      ...REFUNDS,
      id: expect.any(String),
      type: 'SCENARIO_SPECIFIC',
      is_draft: false,
      visibility: 'internal',
      directory_id: null,
      restricted_to_channels: [],
      restricted_to_segments: [],
      learned_from_session_id: null,
      draft_title: null,
      draft_content: null,
      current_version: 1,
      published_at: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await org.get(`/training/${item.id}`)).body).toEqual(item);
    const second = await create({ title: 'Second' });
    expect((await org.get('/training')).body).toEqual({ items: [item, second], next: null });
    const { next } = (await org.get('/training?limit=1')).body;
    expect((await org.get(`/training?limit=1&cursor=${next}`)).body.items).toEqual([second]);

    const { status, body: changed } = await org.patch(`/training/${item.id}`, { title: 'Money back' });
    const news = { title: 'Money back', current_version: 2, published_at: expect.any(String) };
    expect([status, changed]).toEqual([200, { ...item, ...news, updated_at: expect.any(String) }]);
    expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(item.updated_at));
    expect(await org.delete(`/training/${item.id}`)).toMatchObject({ status: 200, body: '' });
    for (const answer of [await org.get(`/training/${item.id}`), await org.delete(`/training/${item.id}`)])
      expect(answer).toMatchObject({ status: 404, body: { message: 'Training not found' } });
    expect(await found('money')).toEqual([]);
  });

  it('is changed with If-Match only as long as nobody else has, also by two at once', async () => {
    const { id, updated_at: seen } = await create();
    const save = (title: string, ifMatch: string) =>
      org.patch(`/training/${id}`, { title }, { headers: { 'if-match': ifMatch } });
    const both = await Promise.all([save('Of Ann', seen), save('Of Ben', seen)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const saved = both.find(({ status }) => status === 200)?.body;
    const refused = both.find(({ status }) => status === 412)?.body;
    expect(refused).toMatchObject({ code: 'changed', message: expect.stringContaining(saved.updated_at) });
    expect((await org.get(`/training/${id}`)).body).toEqual(saved);
    expect((await save('Of Ben', `"${saved.updated_at}"`)).status).toBe(200);
    expect((await save('Of Zoe', '*')).status).toBe(200);
    expect((await save('Of Zoe', 'yesterday')).status).toBe(400);
  });

  it('is found by its current text after creation and changes, and not found after deletion', async () => {
    const { id } = await create();
    expect(await found()).toEqual([id]);
    await org.patch(`/training/${id}`, { content: 'Shipping is free.', title: 'Parcels' });
    expect(await found()).toEqual([]);
    expect(await found('shipping')).toEqual([id]);
    await org.delete(`/training/${id}`);
    expect(await found('shipping')).toEqual([]);
  });

  it('is found only while it is not a draft', async () => {
    const { id } = await create({ is_draft: true });
    expect(await found()).toEqual([]);
    expect((await org.put(`/training/${id}/draft`, { is_draft: false })).body).toMatchObject({ id, is_draft: false });
    expect(await found()).toEqual([id]);
    expect((await org.put(`/training/${id}/draft`, { is_draft: true })).body).toMatchObject({ is_draft: true });
    expect(await found()).toEqual([]);
    await org.patch(`/training/${id}`, { is_draft: false });
    expect(await found()).toEqual([id]);
  });

  it('is found only for its channels and segments', async () => {
    const segment = await newSegment();
    const everywhere = (await create()).id;
    const web = (await create({ restricted_to_channels: ['web', 'email', 'web'] })).id;
    const few = (await create({ restricted_to_segments: [segment.toUpperCase(), segment] })).id;
    expect((await org.get(`/training/${web}`)).body.restricted_to_channels).toEqual(['web', 'email']);
    expect((await org.get(`/training/${few}`)).body.restricted_to_segments).toEqual([segment]);
    const sorted = async (more: object) => (await found('refund', more)).sort();
    expect(await sorted({})).toEqual([everywhere, web, few]);
    expect(await sorted({ channel: 'email' })).toEqual([everywhere, web, few]);
    expect(await sorted({ channel: 'sms' })).toEqual([everywhere, few]);
    expect(await sorted({ segments: [] })).toEqual([everywhere, web]);
    expect(await sorted({ segments: [newId()] })).toEqual([everywhere, web]);
    expect(await sorted({ segments: [newId(), segment.toUpperCase()], channel: 'sms' })).toEqual([everywhere, few]);
  });

  it.each([
    ['title', ''],
    ['title', undefined],
    ['title', 'x'.repeat(256)],
    ['title', 'a\0'],
    ['content', '\ud800'],
    ['content', ' \n'],
    ['content', 'x'.repeat(100_001)],
    ['content', null],
    ['type', 'OTHER'],
    ['is_draft', 'yes'],
    ['directory_id', 'x'],
    ['directory_id', newId()],
    ['restricted_to_channels', ['fax']],
    ['restricted_to_segments', ['x']],
    ['restricted_to_segments', [newId()]],
  ])('with bad input in %s is a 400 with the name of the field (%#)', async (field, value) => {
    const { status, body } = await org.post('/training', { ...REFUNDS, [field]: value });
    expect([status, body.issues?.[0].path.startsWith(`body.${field}`)]).toEqual([400, true]);
    expect((await org.get('/training')).body.items).toEqual([]);
  });

  it('training of another org is not found, nor are its segments and directories', async () => {
    const { id } = await create({}, api.other);
    const segment = await newSegment(api.other);
    const directory = (await api.other.post('/training/directories', { name: 'D' })).body.id;
    const answers = [
      await org.get(`/training/${id}`),
      await org.patch(`/training/${id}`, { title: 'Mine' }),
      await org.put(`/training/${id}/draft`, { is_draft: true }),
      await org.put(`/training/${id}/directory`, { directory_id: null }),
      await org.delete(`/training/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await org.post('/training', { ...REFUNDS, restricted_to_segments: [segment] })).status).toBe(400);
    expect((await org.post('/training', { ...REFUNDS, directory_id: directory })).status).toBe(400);
    expect((await api.other.get(`/training/${id}`)).body.title).toBe('Refunds');
    expect(await found()).toEqual([]);
  });

  it('is unchanged after a refused change', async () => {
    const { id } = await create();
    const change = { content: 'Shipping is free.', directory_id: newId() };
    expect((await org.patch(`/training/${id}`, change)).status).toBe(400);
    expect([await found(), await found('shipping')]).toEqual([[id], []]);
  });
});

describe('BEHAVIORAL training', () => {
  const TONE = { title: 'Tone', content: 'Be brief.', type: 'BEHAVIORAL' };
  const instructions = async (more: object = {}): Promise<string[]> =>
    (await org.post('/training/search', { query: 'anything', ...more })).body.instructions.map(
      ({ title }: { title: string }) => title,
    );

  it('is always active, whatever the query, unless it is a draft or restricted to others', async () => {
    const segment = await newSegment();
    const { id } = await create(TONE);
    await create({ ...TONE, title: 'On SMS', restricted_to_channels: ['sms'] });
    await create({ ...TONE, title: 'For some', restricted_to_segments: [segment] });
    await create({ ...TONE, title: 'Draft', is_draft: true });
    await create();
    expect(await instructions()).toEqual(['Tone', 'On SMS', 'For some']);
    expect(await instructions({ channel: 'web', segments: [] })).toEqual(['Tone']);
    expect(await instructions({ channel: 'sms', segments: [segment] })).toEqual(['Tone', 'On SMS', 'For some']);
    await org.put(`/training/${id}/draft`, { is_draft: true });
    expect(await instructions({ channel: 'web', segments: [] })).toEqual([]);
  });

  it('has the source ai_instructions, and other training custom_training', async () => {
    const tone = await create({ ...TONE, content: 'Be brief about a refund.' });
    const refunds = await create();
    const sources = async (more: object) =>
      (await org.post('/training/search', { query: 'refund', ...more })).body.results.map(
        ({ id, source }: { id: string; source: string }) => [id, source],
      );
    expect(await sources({ dataSources: ['ai_instructions'] })).toEqual([[tone.id, 'ai_instructions']]);
    expect(await sources({ dataSources: ['custom_training'] })).toEqual([[refunds.id, 'custom_training']]);
    expect(await instructions({ dataSources: ['custom_training'] })).toEqual([]);
    expect(await instructions({ sourceTypes: ['website'] })).toEqual([]);
    expect(await instructions({ visibility: ['public'] })).toEqual([]);
    await org.patch(`/training/${tone.id}`, { type: 'SCENARIO_SPECIFIC' });
    expect(await sources({ dataSources: ['ai_instructions'] })).toEqual([]);
  });

  it('comes after the AI profile of the org, which belongs to the source ai_instructions too', async () => {
    await create(TONE);
    await org.patch('/org', { ai_instructions: 'Speak like a sailor.' });
    const { body } = await org.post('/training/search', { query: 'anything', dataSources: ['ai_instructions'] });
    expect(body.instructions).toEqual([
      { id: org.id, title: 'AI profile', content: 'Speak like a sailor.' },
      { id: expect.any(String), title: 'Tone', content: 'Be brief.' },
    ]);
    expect(await instructions({ dataSources: ['custom_training'] })).toEqual([]);
    await org.patch('/org', { ai_instructions: null });
    expect(await instructions()).toEqual(['Tone']);
  });

  it('has at most 60,000 characters on each channel: the AI is told all of it', async () => {
    const ofSize = (size: number, channels: string[] = []) =>
      org.post('/training', {
        title: 'r',
        content: 'x'.repeat(size - 1),
        type: 'BEHAVIORAL',
        restricted_to_channels: channels,
      });
    expect((await ofSize(30_000)).status).toBe(201);
    expect((await ofSize(30_000, ['web'])).status).toBe(201);
    const { status, body } = await ofSize(30_000, ['sms', 'slack']);
    expect(status).toBe(201);
    const refusal = await ofSize(2, ['web', 'email']);
    expect([refusal.status, refusal.body.message]).toEqual([409, expect.stringContaining('60002')]);
    const longer = await org.patch(`/training/${body.id}`, { content: 'x'.repeat(30_000) });
    expect([longer.status, longer.body.message]).toEqual([409, expect.stringMatching(/^content: BEHAVIORAL/)]);
    expect((await org.patch(`/training/${body.id}`, { type: 'SCENARIO_SPECIFIC' })).status).toBe(200);
  });

  it(`is limited to ${MAX_INSTRUCTIONS} items, even for concurrent requests; drafts do not count`, async () => {
    const row = { org_id: org.id, ...TONE, type: 'BEHAVIORAL' as const, is_draft: false };
    const restrictions = { restricted_to_channels: [], restricted_to_segments: [] };
    await api.db
      .insertInto('training_items')
      .values(Array.from({ length: MAX_INSTRUCTIONS - 1 }, () => ({ ...row, ...restrictions, id: newId() })))
      .execute();
    const answers = await Promise.all([1, 2, 3].map(() => org.post('/training', TONE)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.message).toMatch(/type: at most 100/);
    const { id } = await create({ ...TONE, is_draft: true });
    expect((await org.put(`/training/${id}/draft`, { is_draft: false })).status).toBe(409);
    await create();
  });
});
