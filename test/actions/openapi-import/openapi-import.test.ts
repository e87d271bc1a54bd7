import fc from 'fast-check';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const importInto = (org: TestOrg, document: string | object, name = 'api.yaml', field = 'file') => {
  const form = new FormData();
  form.append(field, new Blob([typeof document === 'string' ? document : JSON.stringify(document)]), name);
  return org.put('/actions', form);
};
const actionsOf = async (org: TestOrg) =>
  Object.fromEntries(
    (await org.get('/actions')).body.map((action: { operation_id: string }) => [action.operation_id, action]),
  );
const documentOf = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://{region}.example.com/v1/', variables: { region: { default: 'eu' } } }],
  paths,
  ...more,
});

const SHOP = `
openapi: 3.0.3
info: {title: Shop, version: '1'}
servers:
  - url: https://shop.example.com/v1/
paths:
  /orders/{id}:
    parameters:
      - $ref: '#/components/parameters/Id'
      - {name: lang, in: query, schema: {type: string}}
    get:
      operationId: getOrder
      summary: Find an order
      description: By its number.
      tags: [orders]
      parameters:
        - {name: lang, in: query, required: true, schema: {type: string}}
      responses:
        '200': {description: Found, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
        '404': {$ref: '#/components/responses/Missing'}
    put:
      summary: Replace
      requestBody: {$ref: '#/components/requestBodies/Order'}
  /status:
    servers: [{url: 'https://status.example.com'}]
    get: {}
components:
  parameters:
    Id: {name: id, in: path, required: true, schema: {type: integer}}
  responses:
    Missing: {description: No such order}
  requestBodies:
    Order:
      required: true
      content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
  schemas:
    Order:
      type: object
      required: [lines]
      properties:
        lines: {type: array, items: {$ref: '#/components/schemas/Line~1s'}}
        parent: {$ref: '#/components/schemas/Order'}
    Line/s: {type: object, properties: {sku: {type: string}}}
`;

describe('an OpenAPI document', () => {
  it('becomes one action per operation, with its references resolved', async () => {
    const org = await api.createOrg();
    const { status, body } = await importInto(org, SHOP);
    expect([status, body]).toEqual([
      200,
      { created: 3, updated: 0, skipped: 0, problems: [], actions: expect.any(Array) },
    ]);
    const actions = await actionsOf(org);
    expect(body.actions).toEqual(
      expect.arrayContaining(Object.values<{ id: string }>(actions).map(({ id }) => expect.objectContaining({ id }))),
    );
    expect(actions.getOrder).toMatchObject({
      name: 'Find an order',
      description: 'By its number.',
      api_endpoint: 'https://shop.example.com/v1/orders/{id}',
      request_type: 'GET',
      tags: ['orders'],
      enabled_on_channel: { channels: ['web'] },
      payload: {
        base_url: 'https://shop.example.com/v1/',
        path: '/orders/{id}',
        method: 'get',
        operationId: 'getOrder',
        parameters: [
          { name: 'lang', in: 'query', required: true, schema: { type: 'string' } },
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
        ],
        responses: { 200: { description: 'Found' }, 404: { description: 'No such order' } },
      },
    });
    const sku = { type: 'object', properties: { sku: { type: 'string' } } };
    expect(actions.put_orders_id.payload.requestBody.content['application/json'].schema).toEqual({
      type: 'object',
      required: ['lines'],
      properties: { lines: { type: 'array', items: sku }, parent: {} },
    });
    expect(actions.get_status).toMatchObject({
      api_endpoint: 'https://status.example.com/status',
      name: 'GET /status',
    });
  });

  it('updates its own fields when imported again, and keeps the settings of the org', async () => {
    const org = await api.createOrg();
    await importInto(org, SHOP);
    const { getOrder: before } = await actionsOf(org);
    const own = {
      pinned: true,
      tags: ['mine'],
      enabled_on_channel: { channels: ['email'] },
      require_form_submission: true,
      retry_safe: true,
      confirm: 'always',
      limits: { '>': [{ var: 'body_params.amount' }, 100] },
    };
    await org.patch(`/actions/${before.id}`, own);
    const changed = SHOP.replace('Find an order', 'Look up an order').replace('/status:', '/health:');
    expect((await importInto(org, changed)).body).toMatchObject({ created: 1, updated: 2 });
    const { getOrder: after, ...others } = await actionsOf(org);
    expect(after).toEqual({
      ...before,
      ...own,
      name: 'Look up an order',
      payload: expect.any(Object),
      updated_at: expect.any(String),
    });
    expect(Object.keys(others).sort()).toEqual(['get_health', 'get_status', 'put_orders_id']);
    expect((await api.other.get('/actions')).body).toEqual([]);
  });

  it('reports every operation that cannot be called with its location, and imports the others', async () => {
    const org = await api.createOrg();
    const ok = { operationId: 'ok' };
    const { status, body } = await importInto(
      org,
      documentOf(
        {
          '/ok': { get: ok, post: { operationId: 'ok' } },
          '/xml': { post: { requestBody: { content: {} } } },
          '/far': { get: { parameters: [{ $ref: 'https://example.com/p.yaml' }] } },
          '/gone': { get: { parameters: [{ $ref: '#/components/parameters/None' }] } },
          '/a/{b}': { get: {} },
          '/host': { get: { parameters: [{ name: 'Host', in: 'header' }] } },
          '/relative': { get: { servers: [{ url: '/v1' }] } },
          '/id': { get: { operationId: 'a b' } },
          '/bomb': { get: { parameters: [{ name: 'a', in: 'query', schema: { $ref: '#/components/schemas/L0' } }] } },
          '/odd': 5,
        },
        {
          components: {
            schemas: Object.fromEntries(
              Array.from({ length: 30 }, (_, n) => [
                `L${n}`,
                { anyOf: Array(10).fill({ $ref: `#/components/schemas/L${n + 1}` }) },
              ]),
            ),
          },
        },
      ),
    );
    expect([status, body]).toEqual([200, expect.objectContaining({ created: 1, updated: 0, skipped: 9 })]);
    expect(body.actions).toEqual([{ id: expect.any(String), operation_id: 'ok' }]);
    const places = body.problems.map(({ path }: { path: string }) => path).sort();
    expect(places).toEqual([
      'paths./a/{b}.get.servers',
      'paths./bomb.get',
      'paths./far.get',
      'paths./gone.get',
      'paths./host.get.parameters.0.name',
      'paths./id.get.operationId',
      'paths./ok.post.operationId',
      'paths./relative.get.servers',
      'paths./xml.post.requestBody.content',
    ]);
  });

  it('may be JSON, and its servers may have variables', async () => {
    const org = await api.createOrg();
    expect((await importInto(org, documentOf({ '/a': { delete: {} } }), 'api.json')).status).toBe(200);
    expect((await actionsOf(org)).delete_a).toMatchObject({
      api_endpoint: 'https://eu.example.com/v1/a',
      request_type: 'DELETE',
    });
  });

  it('may be YAML with merge keys', async () => {
    const org = await api.createOrg();
    const yaml = `
openapi: 3.0.3
x-common: &common {description: Common text, tags: [shared]}
x-other: &other {tags: [other], summary: Other}
servers: [{url: 'https://shop.example.com'}]
paths:
  /a: {get: {<<: *common, operationId: one}}
  /b: {get: {<<: [*common, *other], operationId: two, description: Own text}}
`;
    expect((await importInto(org, yaml)).body).toMatchObject({ created: 2, problems: [] });
    expect(await actionsOf(org)).toMatchObject({
      one: { name: 'one', description: 'Common text', tags: ['shared'] },
      two: { name: 'Other', description: 'Own text', tags: ['shared'] },
    });
  });

  it('may contain characters that cannot be stored: they are left out', async () => {
    const org = await api.createOrg();
    const parameters = [{ name: 'a', in: 'query', description: 'a\0b\ud800', 'x-\0': 1 }];
    const document = documentOf({ '/a': { get: { summary: 'N\0ame\udfff', parameters } } });
    expect((await importInto(org, document)).status).toBe(200);
    expect((await actionsOf(org)).get_a).toMatchObject({
      name: 'Name\ufffd',
      payload: { parameters: [{ description: 'ab\ufffd', 'x-': 1 }] },
    });
  });
});

describe('an OpenAPI import', () => {
  it('refuses a parameter whose name or place is an object', async () => {
    const org = await api.createOrg();
    const own = [{ name: { toString: 0 }, in: 'query' }];
    const ofPath = [{ name: 'a', in: { toString: 0 } }];
    const imported = await importInto(org, documentOf({ '/a': { parameters: ofPath, get: { parameters: own } } }));
    expect(imported).toMatchObject({
      status: 400,
      body: {
        issues: [
          { path: 'body.file.paths./a.get.parameters.0.name' },
          { path: 'body.file.paths./a.get.parameters.1.in' },
        ],
      },
    });
  });

  const aliases = Array.from({ length: 40 }, (_, n) => `a${n}: &x${n} [${n === 0 ? 1 : `*x${n - 1}, *x${n - 1}`}]`);
  it.each([
    ['', 'body.file'],
    ['text', 'body.file'],
    ['[1]', 'body.file'],
    ['{"openapi": ', 'body.file'],
    ['a: b: c', 'body.file'],
    ['['.repeat(50_000), 'body.file'],
    ['a: !!js/function "x"', 'body.file'],
    ['a: {<<: 5}', 'body.file'],
    ['swagger: "2.0"', 'body.file.swagger'],
    ['openapi: 4.0.0', 'body.file.openapi'],
    ['openapi: 3.1.0', 'body.file.paths'],
    [documentOf({}), 'body.file.paths'],
    [documentOf({ '/a': { get: { servers: [] } } }, { servers: [] }), 'body.file.paths./a.get.servers'],
    [documentOf(Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`/${n}`, { get: {} }]))), 'body.file.paths'],
    [
      `${aliases.join('\n')}\nopenapi: 3.1.0\nservers: [{url: 'https://example.com'}]\npaths: {/a: {get: {parameters: *x39}}}`,
      'body.file.paths./a.get',
    ],
  ])('is refused for an invalid document, naming the wrong place (%#)', async (document, path) => {
    const { status, body } = await importInto(api.org, document);
    expect([status, body.issues?.[0]?.path]).toEqual([400, path]);
    expect((await api.org.get('/actions')).body).toEqual([]);
  });

  const VARIABLES = Array.from({ length: 20 }, (_, n) => [`v${n}`, { default: `${n}`.repeat(1_000).slice(0, 1_000) }]);
  const chain = (links: number) => ({
    schemas: Object.fromEntries([
      ...Array.from({ length: links }, (_, n) => [`L${n}`, { $ref: `#/components/schemas/L${n + 1}` }]),
      [`L${links}`, { type: 'string' }],
    ]),
  });
  const chained = (links: number) =>
    documentOf(
      { '/a': { get: { parameters: [{ name: 'q', in: 'query', schema: { $ref: '#/components/schemas/L0' } }] } } },
      { components: chain(links - 1) },
    );

  it('follows 64 references in a row', async () => {
    const org = await api.createOrg();
    expect((await importInto(org, chained(64))).status).toBe(200);
    expect((await actionsOf(org)).get_a.payload.parameters[0].schema).toEqual({ type: 'string' });
  });

  it.each([
    [
      'an address that is too long with its variables',
      documentOf(
        { '/a': { get: {} } },
        {
          servers: [
            {
              url: `https://example.com/${VARIABLES.map(([name]) => `{${name}}`).join('')}`,
              variables: Object.fromEntries(VARIABLES),
            },
          ],
        },
      ),
      'body.file.paths./a.get.servers',
      'make an address of more than 8192 characters',
    ],
    ['65 references in a row', chained(65), 'body.file.paths./a.get', 'has more than 64 references in a row'],
    [
      '65 references of a path in a row',
      documentOf(
        { '/a': { $ref: '#/components/pathItems/L0' } },
        {
          components: {
            pathItems: Object.fromEntries(
              Array.from({ length: 65 }, (_, n) => [`L${n}`, { $ref: `#/components/pathItems/L${n + 1}` }]),
            ),
          },
        },
      ),
      'body.file.paths./a',
      'has more than 64 references in a row',
    ],
    [
      'a circle of references of a path',
      documentOf({ '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' } }),
      'body.file.paths./a',
      'refers to a path that is not in the document',
    ],
    [
      'too many values',
      documentOf({ '/a': { get: { 'x-list': Array(50_000).fill(0) } } }),
      'body.file',
      'must have at most 50000 values: leave parts out, such as examples',
    ],
    [
      'too many characters behind references',
      documentOf(
        { '/a': { get: { parameters: [{ name: 'q', in: 'query', schema: { $ref: '#/components/schemas/Many' } }] } } },
        {
          components: {
            schemas: {
              Many: { anyOf: Array(900).fill({ $ref: '#/components/schemas/Long' }) },
              Long: { description: 'x'.repeat(10_000) },
            },
          },
        },
      ),
      'body.file.paths./a.get',
      'has more than 8000000 characters with references followed',
    ],
  ])('is refused for %s, with the bound', async (_, document, path, message) => {
    const { status, body } = await importInto(api.org, document);
    expect([status, body.issues?.[0]]).toEqual([400, { path, message }]);
  });

  it('counts the operations before it reads any', async () => {
    const paths = Array.from({ length: 501 }, (_, n) => [`/${n}`, { $ref: '#/components/pathItems/Broken' }]);
    const broken = { get: { parameters: [{ $ref: '#/components/parameters/None' }] } };
    const document = documentOf(Object.fromEntries(paths), { components: { pathItems: { Broken: broken } } });
    expect((await importInto(api.org, document)).body.issues).toEqual([
      { path: 'body.file.paths', message: 'must have at most 500 operations: import them in parts' },
    ]);
  });

  it('is refused for a file that is too large, in another field, or missing', async () => {
    expect((await importInto(api.org, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    expect(await importInto(api.org, SHOP, 'a', 'document')).toMatchObject({ status: 400 });
    expect((await api.org.put('/actions', new FormData())).body.issues).toMatchObject([{ path: 'body.file' }]);
  });

  it('is refused as a whole if the org would have too many actions', async () => {
    const org = await api.createOrg();
    const half = (prefix: string) =>
      documentOf(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`/${prefix}${n}`, { get: {} }])));
    expect((await importInto(org, half('a'))).body).toMatchObject({ created: 300 });
    expect((await importInto(org, half('b'))).status).toBe(409);
    expect((await org.get('/actions')).body).toHaveLength(300);
  });

  it('is accepted or refused, but never fails with a server error, whatever the document contains', async () => {
    const operation = fc.record(
      {
        operationId: fc.oneof(fc.string(), fc.jsonValue()),
        parameters: fc.oneof(
          fc.array(fc.dictionary(fc.constantFrom('name', 'in', '$ref', 'schema'), fc.jsonValue())),
          fc.jsonValue(),
        ),
        requestBody: fc.jsonValue(),
        responses: fc.jsonValue(),
        servers: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const org = await api.createOrg();
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.dictionary(fc.constantFrom('get', 'post'), operation)),
        async (paths) => {
          expect([200, 400]).toContain((await importInto(org, documentOf(paths))).status);
        },
      ),
      { numRuns: process.env.TEST_TIER === 'long' ? 50 : 15 },
    );
  });
});
