import { startApi, type TestApi } from '../support/stack/api.ts';

const MAX_TAGS = 1000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const names = (tags: { tag_name: string }[]) => tags.map(({ tag_name }) => tag_name);

describe('tags', () => {
  it('are created and updated by name, listed by name, and deleted', async () => {
    const org = await api.createOrg();
    expect(await org.put('/tags', { tag_name: 'refund' })).toMatchObject({ status: 200, body: '' });
    await org.put('/tags', { tag_name: 'Angry', exclude_from_auto_tagging: true });
    const made = { created_at: expect.any(String), updated_at: expect.any(String) };
    const { status, body: before } = await org.get('/tags');
    expect(status).toBe(200);
    expect(before).toEqual([
      { tag_name: 'Angry', exclude_from_auto_tagging: true, description: null, category_id: null, ...made },
      { tag_name: 'refund', exclude_from_auto_tagging: false, description: null, category_id: null, ...made },
    ]);

    await org.put('/tags', { tag_name: 'Angry' });
    const [angry, refund] = (await org.get('/tags')).body;
    expect(angry).toEqual({ ...before[0], exclude_from_auto_tagging: false, updated_at: expect.any(String) });
    expect(Date.parse(angry.updated_at)).toBeGreaterThan(Date.parse(before[0].updated_at));

    expect(await org.delete('/tags/Angry')).toMatchObject({ status: 200, body: '' });
    expect((await org.get('/tags')).body).toEqual([refund]);
    expect(await org.delete('/tags/Angry')).toMatchObject({ status: 404, body: { message: 'Tag not found' } });
  });

  it('are the same in any letter case and Unicode composition: the latest spelling is stored', async () => {
    const org = await api.createOrg();
    for (const tag_name of ['Café', 'CAFE\u0301', '  café \n'])
      expect((await org.put('/tags', { tag_name })).status).toBe(200);
    expect(names((await org.get('/tags')).body)).toEqual(['café']);
    expect((await org.delete(`/tags/${encodeURIComponent(' CAFÉ ')}`)).status).toBe(200);
    expect((await org.get('/tags')).body).toEqual([]);
  });

  it('may have any name, even that of a route', async () => {
    const org = await api.createOrg();
    const odd = ['auto-tagging', 'a/b', '..', '%41', '?', '👩‍👩‍👧‍👦', "'; drop table tags; --", 'x'.repeat(100)];
    for (const tag_name of odd) expect((await org.put('/tags', { tag_name })).status).toBe(200);
    expect(names((await org.get('/tags')).body).sort()).toEqual(odd.toSorted());
    const tried = odd.filter((name) => name !== '..'); // fetch resolves it as the parent folder
    for (const name of tried) expect((await org.delete(`/tags/${encodeURIComponent(name)}`)).status).toBe(200);
    expect(names((await org.get('/tags')).body)).toEqual(['..']);
  });

  it.each([
    ['tag_name', undefined],
    ['tag_name', ''],
    ['tag_name', ' \t'],
    ['tag_name', 'x'.repeat(101)],
    ['tag_name', 7],
    ['exclude_from_auto_tagging', 'yes'],
    ['exclude_from_auto_tagging', null],
  ])('with a bad %s are a 400 that names the field (%#)', async (field, value) => {
    const { status, body } = await api.org.put('/tags', { tag_name: 'refund', [field]: value });
    expect(`${status} ${body.issues[0].path}`).toBe(`400 body.${field}`);
  });

  it(`are limited to ${MAX_TAGS} even with concurrent requests, and existing ones can be updated`, async () => {
    const org = await api.createOrg();
    const tags = Array.from({ length: MAX_TAGS - 1 }, (_, count) => `tag ${count}`);
    const row = { org_id: org.id, exclude_from_auto_tagging: false };
    await api.db
      .insertInto('tags')
      .values(tags.map((tag_name) => ({ ...row, tag_name, tag_key: tag_name })))
      .execute();
    const answers = await Promise.all(['a', 'b', 'c'].map((tag_name) => org.put('/tags', { tag_name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await org.put('/tags', { tag_name: 'TAG 7' })).status).toBe(200);
    expect((await org.get('/tags')).body).toHaveLength(MAX_TAGS);
  });
});

describe('auto-tagging', () => {
  it('is off until set, and keeps its latest setting', async () => {
    const org = await api.createOrg();
    const read = async () => (await org.get('/tags/auto-tagging')).body;
    expect(await read()).toMatchObject({ enabled: false, learnt_at: null, tags: [] });
    for (const enabled of [true, true, false]) {
      expect(await org.put('/tags/auto-tagging', { enabled })).toMatchObject({ status: 200, body: '' });
      expect((await read()).enabled).toBe(enabled);
    }
    expect((await org.put('/tags/auto-tagging', { enabled: 'yes' })).status).toBe(400);
    expect((await org.put('/tags/auto-tagging', {})).status).toBe(400);
  });
});

describe('access to tags', () => {
  it('requires tags:read for reading and tags:write for changes', async () => {
    const reader = await api.org.withScopes('tags:read');
    const writer = await api.org.withScopes('tags:write');
    for (const path of ['/tags', '/tags/auto-tagging']) {
      expect((await reader.get(path)).status).toBe(200);
      expect((await writer.get(path)).status).toBe(403);
    }
    const changesBy = async (client: typeof reader) => [
      (await client.put('/tags', { tag_name: 'scoped' })).status,
      (await client.put('/tags/auto-tagging', { enabled: true })).status,
      (await client.delete('/tags/scoped')).status,
    ];
    expect(await changesBy(reader)).toEqual([403, 403, 403]);
    expect(await changesBy(writer)).toEqual([200, 200, 200]);
  });

  it('never extends to tags of another org', async () => {
    await api.org.put('/tags', { tag_name: 'mine', exclude_from_auto_tagging: true });
    await api.org.put('/tags/auto-tagging', { enabled: true });
    expect((await api.other.delete('/tags/mine')).status).toBe(404);
    await api.other.put('/tags', { tag_name: 'Mine' });
    await api.other.delete('/tags/mine');
    expect((await api.other.get('/tags')).body).toEqual([]);
    expect((await api.other.get('/tags/auto-tagging')).body).toMatchObject({ enabled: false, tags: [] });
    expect((await api.org.get('/tags')).body).toContainEqual(
      expect.objectContaining({ tag_name: 'mine', exclude_from_auto_tagging: true }),
    );
  });
});
