import { type Client, startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const NONE = { created: 0, updated: 0, deleted: 0, unchanged: 0 };
const article = (slug: string, more: object = {}) => ({
  title: `About ${slug}`,
  slug,
  content_markdown: `# ${slug}\n\nAll about *${slug}*.`,
  meta_title: null,
  meta_description: null,
  ...more,
});
const category = (slug: string, more: object = {}) => ({
  name: slug.toUpperCase(),
  slug,
  description: null,
  icon: null,
  articles: [],
  categories: [],
  ...more,
});
const sync = async (org: Client, tree: object) => {
  const { status, body } = await org.put('/help-center/content', tree);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
const TREE = {
  categories: [
    category('billing', {
      description: 'Money',
      articles: [
        article('refunds', { meta_title: 'Get it back', meta_description: 'In 30 days' }),
        article('invoices'),
      ],
      categories: [category('taxes', { articles: [article('vat', { content_markdown: 'a\r\n\r\n  b\t' })] })],
    }),
    category('start', { icon: '🚀' }),
  ],
};

describe('the content tree', () => {
  it('is returned as submitted, in its order', async () => {
    const org = await api.createOrg();
    expect((await org.get('/help-center/content')).body).toEqual({ categories: [] });
    const openapi_spec = '{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{}}';
    await sync(org, { ...TREE, openapi_spec });
    expect((await org.get('/help-center/content')).body).toEqual({ ...TREE, openapi_spec });

    const turned = { categories: [...TREE.categories].reverse() };
    await sync(org, turned);
    expect((await org.get('/help-center/content')).body).toEqual(turned);
  });

  it('leads searches to the present address of the installation, also where its texts stay', async () => {
    const org = await api.createOrg();
    const tree = { categories: [category('a', { articles: [article('moving', { content_markdown: 'Boxes' })] })] };
    await sync(org, tree);
    const moved = await startApi({ env: { PUBLIC_URL: 'https://help.example' }, databaseUrl: api.databaseUrl });
    await sync(moved.client(org.key), tree);
    await moved.close();
    const { results } = (await org.post('/training/search', { query: 'boxes' })).body;
    expect(results[0].url).toBe(`https://help.example/help/${org.id}/a/moving`);
  });

  it('may omit optional fields', async () => {
    const org = await api.createOrg();
    await sync(org, { categories: [{ name: 'A', slug: 'a', articles: [{ title: 'B', slug: 'b' }] }] });
    const empty = { title: 'B', slug: 'b', content_markdown: null, meta_title: null, meta_description: null };
    expect((await org.get('/help-center/content')).body).toEqual({
      categories: [category('a', { articles: [empty] })],
    });
  });

  it('reports its changes, and changes nothing else', async () => {
    const org = await api.createOrg();
    expect(await sync(org, TREE)).toEqual({
      ...NONE,
      created: 3,
      categories: { ...NONE, created: 3 },
      operations: NONE,
    });
    expect(await sync(org, TREE)).toMatchObject({ unchanged: 3, created: 0, updated: 0, categories: { unchanged: 3 } });
    const before = (await org.get('/help-center/articles')).body.items;

    const changed = {
      categories: [
        category('billing', {
          description: 'Money and more',
          articles: [article('payouts'), TREE.categories[0]?.articles[0], article('invoices', { title: 'Bills' })],
        }),
      ],
    };
    expect(await sync(org, changed)).toEqual({
      created: 1,
      updated: 1,
      deleted: 1,
      unchanged: 1,
      categories: { created: 0, updated: 1, deleted: 2, unchanged: 0 },
      operations: NONE,
    });
    const after = (await org.get('/help-center/articles')).body.items;
    const at = (items: { path: string }[], path: string) => items.find((item) => item.path === path);
    expect(at(after, 'billing/refunds')).toEqual(at(before, 'billing/refunds'));
    expect(at(after, 'billing/invoices')).toMatchObject({
      id: (at(before, 'billing/invoices') as { id?: string })?.id,
      title: 'Bills',
    });
    expect(after.map(({ path }: { path: string }) => path).sort()).toEqual([
      'billing/invoices',
      'billing/payouts',
      'billing/refunds',
    ]);
    expect((await org.get('/help-center/content')).body).toEqual(changed);

    expect(await sync(org, { categories: [] })).toMatchObject({ deleted: 3, categories: { deleted: 1 } });
    expect((await org.get('/help-center/articles')).body.items).toEqual([]);
  });

  it('is refused while another sync is under way: one of the trees remains, complete', async () => {
    const org = await api.createOrg();
    const trees = ['one', 'two', 'three'].map((slug) => ({
      categories: [category('same', { articles: [article(slug), article('shared', { title: slug })] })],
    }));
    const answers = await Promise.all(trees.map((tree) => org.put('/help-center/content', tree)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    for (const status of statuses) expect([200, 409]).toContain(status);
    expect(trees).toContainEqual((await org.get('/help-center/content')).body);
  });

  it('is separate for each org', async () => {
    const [one, another] = [await api.createOrg(), await api.createOrg()];
    await sync(one, TREE);
    expect(await sync(another, TREE)).toMatchObject({ created: 3 });
    await sync(another, { categories: [] });
    expect((await one.get('/help-center/content')).body).toEqual(TREE);
    const [{ id }] = (await one.get('/help-center/articles')).body.items;
    expect((await another.get(`/help-center/articles/${id}`)).status).toBe(404);
  });

  it('may contain thousands of articles', async () => {
    const org = await api.createOrg();
    const of = (group: number) => Array.from({ length: 500 }, (_, nth) => article(`a${group}-${nth}`));
    const tree = { categories: [0, 1, 2].map((group) => category(`c${group}`, { articles: of(group) })) };
    expect(await sync(org, tree)).toMatchObject({ created: 1_500 });
    expect(await sync(org, tree)).toMatchObject({ unchanged: 1_500 });
    const { body } = await org.put('/help-center/content', {
      categories: Array.from({ length: 6 }, (_, group) =>
        category(`c${group}`, { articles: Array.from({ length: 900 }, (_, nth) => ({ title: 'x', slug: `s${nth}` })) }),
      ),
    });
    expect(body).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('at most 5000 articles in all, not 5400'),
    });
  });
});

describe('the validation of the content tree', () => {
  const nested = (levels: number): object => category('c', levels > 1 ? { categories: [nested(levels - 1)] } : {});

  it.each([
    ['the same slug twice at the root', [category('a'), category('a')], 'body.categories.1.slug', 'a is there twice'],
    [
      'twice among articles',
      [category('a', { articles: [article('b'), article('b')] })],
      'body.categories.0.articles.1.slug',
      'a/b is there twice',
    ],
    [
      'an article and a category of one slug',
      [category('a', { articles: [article('b')], categories: [category('b')] })],
      'body.categories.0.categories.0.slug',
      'a/b is there twice',
    ],
    ['too many levels', [nested(32)], 'body.categories.0.categories', 'must not be nested deeper than 64 levels'],
    [
      'a path too long',
      [
        category('x'.repeat(99), {
          categories: [
            category('x'.repeat(99), {
              categories: [
                category('x'.repeat(99), {
                  categories: [
                    category('x'.repeat(99), {
                      categories: [category('x'.repeat(99), { articles: [article('y'.repeat(99))] })],
                    }),
                  ],
                }),
              ],
            }),
          ],
        }),
      ],
      'body.categories.0.categories.0.categories.0.categories.0.categories.0.articles.0.slug',
      'more than 500 characters',
    ],
    ['a slug with a slash', [category('a/b')], 'body.categories.0.slug', 'one part of a path'],
    [
      'a slug with a space',
      [category('a', { articles: [article('b c')] })],
      'body.categories.0.articles.0.slug',
      'one part of a path',
    ],
    ['a slug that leads up', [category('..')], 'body.categories.0.slug', 'one part of a path'],
    ['an empty slug', [category('', { name: 'A' })], 'body.categories.0.slug', ''],
    [
      'a blank title',
      [category('a', { articles: [article('b', { title: ' ' })] })],
      'body.categories.0.articles.0.title',
      'blank',
    ],
    ['no articles', [{ name: 'A', slug: 'a' }], 'body.categories.0.articles', ''],
    [
      'a number for content',
      [category('a', { articles: [article('b', { content_markdown: 7 })] })],
      'body.categories.0.articles.0.content_markdown',
      '',
    ],
    [
      'a NUL character',
      [category('a', { articles: [article('b', { content_markdown: 'x\0' })] })],
      'body.categories.0.articles.0.content_markdown',
      'NUL',
    ],
    [
      'half a character',
      [category('a', { articles: [article('b', { content_markdown: 'x\ud800' })] })],
      'body.categories.0.articles.0.content_markdown',
      'well-formed',
    ],
    [
      'content beyond the limit',
      [category('a', { articles: [article('b', { content_markdown: 'x'.repeat(200_001) })] })],
      'body.categories.0.articles.0.content_markdown',
      '',
    ],
    ['no list', 7, 'body.categories', ''],
  ])('answers 400 with the location of the error: %s', async (_, categories, path, message) => {
    const org = await api.createOrg();
    await sync(org, TREE);
    const { status, body } = await org.put('/help-center/content', { categories });
    expect([status, body.issues?.[0]]).toEqual([400, { path, message: expect.stringContaining(message) }]);
    expect((await org.get('/help-center/content')).body).toEqual(TREE);
  });

  it('accepts as many levels as a request may have, and shows the innermost to readers', async () => {
    const org = await api.createOrg();
    const tree = { categories: [nested(31)] };
    await sync(org, tree);
    expect((await org.get('/help-center/content')).body).toEqual(tree);
    const page = await fetch(`${api.url}/help/${org.id}/${Array.from({ length: 31 }, () => 'c').join('/')}`);
    expect(page.status).toBe(200);
  });

  it('answers 413 above 10 MB', async () => {
    const articles = Array.from({ length: 60 }, (_, nth) =>
      article(`a${nth}`, { content_markdown: 'x'.repeat(190_000) }),
    );
    expect((await api.org.put('/help-center/content', { categories: [category('a', { articles })] })).status).toBe(413);
  });
});

describe('the OpenAPI document of a help center', () => {
  const find = async (org: TestOrg, query: string) => {
    const { body } = await org.post('/training/search', { query, sourceTypes: ['help_center'] });
    return body.results as { title: string; content: string }[];
  };
  const YAML = `openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /refunds/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string, format: uuid}, description: Which refund}
    get:
      summary: Look a refund up
      responses: {'200': {description: The refund}}
    post:
      operationId: approveRefund
      requestBody:
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Approval'}
components:
  schemas:
    Approval:
      type: object
      required: [reason]
      properties:
        reason: {type: string, description: Why the goodwill gesture}
        parent: {$ref: '#/components/schemas/Approval'}
`;

  it('is searchable by each of its operations, until it is removed', async () => {
    const org = await api.createOrg();
    expect((await sync(org, { categories: [], openapi_spec: YAML })).operations).toEqual({ ...NONE, created: 2 });
    const [found] = await find(org, 'goodwill');
    expect(found?.title).toBe('approveRefund (POST /refunds/{id})');
    expect(found?.content).toContain('- `reason` (string, required): Why the goodwill gesture');
    expect((await find(org, 'look up'))[0]?.title).toBe('Look a refund up (GET /refunds/{id})');

    const shorter = YAML.replace('Look a refund up', 'Show it');
    expect((await sync(org, { categories: [], openapi_spec: shorter })).operations).toEqual({
      ...NONE,
      updated: 1,
      unchanged: 1,
    });
    expect((await sync(org, { categories: [] })).operations).toEqual({ ...NONE, deleted: 2 });
    expect(await find(org, 'goodwill')).toEqual([]);
  });

  it.each([
    ['no document', 'openapi: [', 'neither JSON nor YAML'],
    ['broken JSON', '{"openapi":', 'neither JSON nor YAML'],
    ['another document', '{"swagger":"2.0"}', 'OpenAPI 3'],
    ['text', 'hello', 'OpenAPI 3'],
    ['nothing', '', ''],
    ['depth', `openapi: 3.1.0\npaths: ${'['.repeat(100_000)}`, ''],
  ])('is a 400 with the name of the field if invalid: %s', async (_, openapi_spec, message) => {
    const { status, body } = await api.org.put('/help-center/content', { categories: [], openapi_spec });
    expect([status, body.issues?.[0]]).toEqual([
      400,
      { path: 'body.openapi_spec', message: expect.stringContaining(message) },
    ]);
  });

  const chained = (links: number) =>
    JSON.stringify({
      openapi: '3.1.0',
      paths: {
        '/a': { post: { requestBody: { content: { 'a/b': { schema: { $ref: '#/components/schemas/L1' } } } } } },
      },
      components: {
        schemas: Object.fromEntries([
          ...Array.from({ length: links - 1 }, (_, n) => [`L${n + 1}`, { $ref: `#/components/schemas/L${n + 2}` }]),
          [`L${links}`, { properties: { zeppelin: { type: 'string' } } }],
        ]),
      },
    });

  it('follows 64 references in a row', async () => {
    const org = await api.createOrg();
    await sync(org, { categories: [], openapi_spec: chained(64) });
    expect((await find(org, 'zeppelin'))[0]?.content).toContain('- `zeppelin` (string)');
  });

  it('may be YAML with merge keys', async () => {
    const org = await api.createOrg();
    const openapi_spec =
      'openapi: 3.1.0\nx-c: &c {summary: Steer the zeppelin}\npaths: {/a: {get: {<<: *c, description: Up}}}';
    await sync(org, { categories: [], openapi_spec });
    expect((await find(org, 'zeppelin'))[0]?.title).toBe('Steer the zeppelin (GET /a)');
  });

  const referring = Object.fromEntries(
    Array.from({ length: 2_001 }, (_, n) => [`/${n}${'x'.repeat(500)}`, { $ref: '#/components/pathItems/A' }]),
  );
  it.each([
    ['65 references in a row', chained(65), 'has more than 64 references in a row'],
    [
      'too many operations, which are counted before one is rendered',
      JSON.stringify({
        openapi: '3.1.0',
        paths: referring,
        components: { pathItems: { A: { get: { summary: 'A' } } } },
      }),
      'must have at most 2000 operations',
    ],
    [
      'too many values',
      JSON.stringify({ openapi: '3.1.0', paths: {}, 'x-list': Array(50_000).fill(0) }),
      'must have at most 50000 values: leave parts out, such as examples',
    ],
  ])('is refused for %s, with the bound', async (_, openapi_spec, message) => {
    const { status, body } = await api.org.put('/help-center/content', { categories: [], openapi_spec });
    expect([status, body.issues]).toEqual([400, [{ path: 'body.openapi_spec', message }]]);
  });

  it('is harmless whatever its content: cycles, recursive schemas, characters invalid in the database', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, nth) => [`f${nth}`, { $ref: '#/components/schemas/A' }]),
    );
    const document = {
      openapi: '3.1.0',
      paths: {
        '/a\0\ud800': { get: { summary: 'x\0y', description: '\ud800', responses: { default: 7 } } },
        '/a': { get: 7, post: { requestBody: { content: { 'a/b': { schema: { $ref: '#/components/schemas/A' } } } } } },
        '/b': { $ref: '#/paths/~1b' },
        '/c': { get: { parameters: [null, 7, { $ref: '#/nowhere/%' }], requestBody: { content: { x: null } } } },
        __proto__: null,
      },
      components: { schemas: { A: { properties: many, allOf: [{ $ref: '#/components/schemas/A' }] } } },
    };
    const org = await api.createOrg();
    expect((await sync(org, { categories: [], openapi_spec: JSON.stringify(document) })).operations.created).toBe(4);
    const cyclic = 'openapi: 3.1.0\npaths: &p\n  /x: {get: {requestBody: *p}}\n';
    expect((await org.put('/help-center/content', { categories: [], openapi_spec: cyclic })).status).toBeLessThan(500);
  });
});

describe('articles of a help center', () => {
  it('are listed in pages, and returned with their content', async () => {
    const org = await api.createOrg();
    await sync(org, TREE);
    const first = (await org.get('/help-center/articles?limit=2')).body;
    const second = (await org.get(`/help-center/articles?limit=2&cursor=${first.next}`)).body;
    expect([first.items.length, second.items.length, second.next]).toEqual([2, 1, null]);
    const all = [...first.items, ...second.items] as { id: string; path: string; url: string }[];
    const vat = all.find(({ path }) => path === 'billing/taxes/vat');
    expect(vat?.url).toBe(`${api.url}/help/${org.id}/billing/taxes/vat`);
    const { body } = await org.get(`/help-center/articles/${vat?.id}`);
    expect(body).toEqual({ ...vat, content_markdown: 'a\r\n\r\n  b\t' });
  });

  it('are found by their current text, best first', async () => {
    const org = await api.createOrg();
    const about = (slug: string, content_markdown: string) => article(slug, { content_markdown, title: slug });
    const tree = (text: string) => ({
      categories: [category('a', { articles: [about('parcels', text), about('stores', 'Our stores are open.')] })],
    });
    await sync(org, tree('Parcels travel by bicycle.'));
    const find = async (q: string) =>
      (await org.get(`/help-center/articles?q=${encodeURIComponent(q)}`)).body.items.map(
        ({ path }: { path: string }) => path,
      );
    expect(await find('which bicycle?')).toEqual(['a/parcels']);
    await sync(org, tree('Parcels travel by zeppelin.'));
    expect([await find('bicycle'), await find('zeppelin')]).toEqual([[], ['a/parcels']]);
    await sync(org, { categories: [] });
    expect(await find('zeppelin')).toEqual([]);
  });

  it.each([
    ['limit=0', 'query.limit'],
    ['limit=x', 'query.limit'],
    ['q=', 'query.q'],
    [`q=${'x'.repeat(501)}`, 'query.q'],
  ])('requested with %s are a 400 with the name of the parameter', async (query, path) => {
    const { status, body } = await api.org.get(`/help-center/articles?${query}`);
    expect(`${status} ${body.issues[0].path}`).toBe(`400 ${path}`);
  });
});
