import { newId } from '../../src/ids.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

const MAX_CATEGORIES = 100;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const create = async (org: TestOrg, name: string): Promise<string> =>
  (await org.post('/tags/categories', { name })).body.id;
const categories = async (org: TestOrg) => (await org.get('/tags/categories')).body;
const names = (rows: { name: string }[]) => rows.map(({ name }) => name);
const tagsOf = async (org: TestOrg, query = ''): Promise<(string | null)[][]> =>
  (await org.get(`/tags${query}`)).body.map((tag: { tag_name: string; category_id: string | null }) => [
    tag.tag_name,
    tag.category_id,
  ]);

describe('categories of tags', () => {
  it('are created, listed by name, changed and deleted', async () => {
    const org = await api.createOrg();
    const made = { id: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) };
    const topic = await org.post('/tags/categories', { name: ' Topic ', description: 'What it is about' });
    expect([topic.status, topic.body]).toEqual([201, { ...made, name: 'Topic', description: 'What it is about' }]);
    const { id } = (await org.post('/tags/categories', { name: 'mood' })).body;
    expect(await categories(org)).toEqual([{ ...made, id, name: 'mood', description: null }, topic.body]);

    const renamed = await org.patch(`/tags/categories/${topic.body.id}`, { name: 'TOPIC' });
    const { updated_at, ...rest } = topic.body;
    expect(renamed).toMatchObject({ status: 200, body: { ...rest, name: 'TOPIC' } });
    expect(Date.parse(renamed.body.updated_at)).toBeGreaterThan(Date.parse(updated_at));
    const described = await org.patch(`/tags/categories/${topic.body.id}`, { description: null });
    expect(described.body).toMatchObject({ name: 'TOPIC', description: null });

    expect(await org.delete(`/tags/categories/${id}`)).toMatchObject({ status: 200, body: '' });
    expect(names(await categories(org))).toEqual(['TOPIC']);
    for (const gone of [
      await org.delete(`/tags/categories/${id}`),
      await org.patch(`/tags/categories/${id}`, { name: 'x' }),
    ])
      expect(gone).toMatchObject({ status: 404, body: { message: 'Tag category not found' } });
  });

  it('have different names, in any letter case, also when they are made or renamed at once', async () => {
    const org = await api.createOrg();
    const answers = await Promise.all(
      ['Café', 'CAFE\u0301', ' café'].map((name) => org.post('/tags/categories', { name })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const id = answers.find(({ status }) => status === 201)?.body.id;
    const others = await Promise.all(['a', 'b'].map((name) => create(org, name)));
    expect(await org.patch(`/tags/categories/${others[0]}`, { name: 'CAFÉ' })).toMatchObject({
      status: 409,
      body: {
        code: 'already_exists',
        message: expect.stringContaining('choose another'),
        conflicting: { type: 'tag_category', id, field: 'name' },
      },
    });
    const renamed = await Promise.all(others.map((id) => org.patch(`/tags/categories/${id}`, { name: 'Same' })));
    expect(renamed.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it(`are limited to ${MAX_CATEGORIES}, and existing ones can be changed`, async () => {
    const org = await api.createOrg();
    const rows = Array.from({ length: MAX_CATEGORIES - 1 }, (_, nth) => ({
      org_id: org.id,
      id: newId(),
      name: `category ${nth}`,
      name_key: `category ${nth}`,
    }));
    await api.db.insertInto('tag_categories').values(rows).execute();
    const answers = await Promise.all(['a', 'b'].map((name) => org.post('/tags/categories', { name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await org.patch(`/tags/categories/${rows[0]?.id}`, { name: 'Other' })).status).toBe(200);
    expect(await categories(org)).toHaveLength(MAX_CATEGORIES);
  });

  it.each([
    ['POST', {}, 'body.name'],
    ['POST', { name: '' }, 'body.name'],
    ['POST', { name: ' \t' }, 'body.name'],
    ['POST', { name: 'x'.repeat(101) }, 'body.name'],
    ['POST', { name: 7 }, 'body.name'],
    ['POST', { name: 'a', description: 'x'.repeat(501) }, 'body.description'],
    ['PATCH', { name: null }, 'body.name'],
    ['PATCH', { name: ' ' }, 'body.name'],
    ['PATCH', {}, 'body'],
  ])('refuse by %s what they cannot have: %j', async (method, body, path) => {
    const id = newId();
    const answer =
      method === 'POST'
        ? await api.org.post('/tags/categories', body)
        : await api.org.patch(`/tags/categories/${id}`, body);
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, path]);
  });

  it('need tags:read for reading and tags:write for changes', async () => {
    const [reader, writer] = [await api.org.withScopes('tags:read'), await api.org.withScopes('tags:write')];
    expect([(await reader.get('/tags/categories')).status, (await writer.get('/tags/categories')).status]).toEqual([
      200, 403,
    ]);
    const changesBy = async (client: typeof reader, name: string) => {
      const { status, body } = await client.post('/tags/categories', { name });
      const id = body.id ?? newId();
      const patched = await client.patch(`/tags/categories/${id}`, { description: 'x' });
      return [status, patched.status, (await client.delete(`/tags/categories/${id}`)).status];
    };
    expect(await changesBy(reader, 'by reader')).toEqual([403, 403, 403]);
    expect(await changesBy(writer, 'by writer')).toEqual([201, 200, 200]);
  });

  it('belong to one org', async () => {
    const id = await create(api.org, 'Mine');
    const theirs = [
      await api.other.patch(`/tags/categories/${id}`, { name: 'Theirs' }),
      await api.other.delete(`/tags/categories/${id}`),
    ];
    expect(theirs.map(({ status }) => status)).toEqual([404, 404]);
    expect((await api.other.post('/tags/categories', { name: 'Mine' })).status).toBe(201);
    const { status, body } = await api.other.put('/tags', { tag_name: 'foreign', category_id: id });
    expect([status, body.issues[0].path]).toEqual([400, 'body.category_id']);
    expect(await tagsOf(api.other)).toEqual([]);
    await api.org.put('/tags', { tag_name: 'mine', category_id: id });
    expect(await tagsOf(api.other, `?category_id=${id}`)).toEqual([]);
    expect(names(await categories(api.org))).toContain('Mine');
  });
});

describe('a tag', () => {
  it('has at most one category: it is given, kept, replaced and taken away', async () => {
    const org = await api.createOrg();
    const [topic, mood] = [await create(org, 'Topic'), await create(org, 'Mood')];
    const put = async (change: object) => {
      expect(await org.put('/tags', { tag_name: 'refund', ...change })).toMatchObject({ status: 200, body: '' });
      return tagsOf(org);
    };
    expect(await put({ category_id: topic })).toEqual([['refund', topic]]);
    expect(await put({ description: 'Money back' })).toEqual([['refund', topic]]);
    expect(await put({ tag_name: 'REFUND' })).toEqual([['REFUND', topic]]);
    expect(await put({ category_id: mood.toUpperCase() })).toEqual([['refund', mood]]);
    expect(await put({ category_id: null })).toEqual([['refund', null]]);
  });

  it.each([[newId()], ['none'], [''], [7], ['Topic']])(
    'has no category that does not exist: %j',
    async (category_id) => {
      const { status, body } = await api.org.put('/tags', { tag_name: 'nowhere', category_id });
      expect([status, body.issues[0]]).toEqual([
        400,
        { path: 'body.category_id', message: expect.stringMatching(/tag category|string/) },
      ]);
      expect((await tagsOf(api.org)).flat()).not.toContain('nowhere');
    },
  );

  it('is listed by category, and without one by `none`', async () => {
    const org = await api.createOrg();
    const [topic, empty] = [await create(org, 'Topic'), await create(org, 'Empty')];
    await org.put('/tags', { tag_name: 'refund', category_id: topic });
    await org.put('/tags', { tag_name: 'Delivery', category_id: topic });
    await org.put('/tags', { tag_name: 'vip' });
    expect(await tagsOf(org, `?category_id=${topic}`)).toEqual([
      ['Delivery', topic],
      ['refund', topic],
    ]);
    expect(await tagsOf(org, '?category_id=none')).toEqual([['vip', null]]);
    for (const id of [empty, newId()]) expect(await tagsOf(org, `?category_id=${id}`)).toEqual([]);
    expect(await tagsOf(org)).toHaveLength(3);
    for (const query of ['category_id=Topic', 'category_id=', 'category=none'])
      expect([query, (await org.get(`/tags?${query}`)).status]).toEqual([query, 400]);
  });

  it('stays without a category, and on its sessions, when its category is deleted', async () => {
    const org = await api.createOrg();
    const [topic, mood] = [await create(org, 'Topic'), await create(org, 'Mood')];
    await org.put('/tags', { tag_name: 'refund', category_id: topic });
    await org.put('/tags', { tag_name: 'angry', category_id: mood });
    const session = (await org.post('/chat/sessions', {})).body.id;
    await org.post(`/chat/sessions/${session}/tags`, { tags: ['refund'] });
    expect((await org.delete(`/tags/categories/${topic}`)).status).toBe(200);
    expect(await tagsOf(org)).toEqual([
      ['angry', mood],
      ['refund', null],
    ]);
    expect((await org.get(`/chat/sessions/${session}`)).body.tags).toEqual(['refund']);
  });

  it('ends without a category, or is refused, if its category is deleted at the same time', async () => {
    const org = await api.createOrg();
    for (let round = 0; round < 5; round++) {
      const id = await create(org, `Category ${round}`);
      const [put, deleted] = await Promise.all([
        org.put('/tags', { tag_name: `tag ${round}`, category_id: id }),
        org.delete(`/tags/categories/${id}`),
      ]);
      expect([200, 400]).toContain(put.status);
      expect(deleted.status).toBe(200);
    }
    expect((await tagsOf(org)).every(([, category]) => category === null)).toBe(true);
  });

  it('may be called categories', async () => {
    const org = await api.createOrg();
    await create(org, 'Topic');
    await org.put('/tags', { tag_name: 'categories' });
    expect((await org.delete('/tags/categories')).status).toBe(200);
    expect([await tagsOf(org), names(await categories(org))]).toEqual([[], ['Topic']]);
  });
});
