import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

const MAX_ACTIONS = 500;
const PARAMETER = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const EVERYTHING = {
  name: 'Change an order',
  description: 'Only before it is sent.',
  api_endpoint: 'https://shop.example.com/orders/{id}?version=1',
  request_type: 'PATCH',
  operation_id: 'orders/change',
  payload: {
    base_url: 'https://shop.example.com',
    path: '/orders/{id}',
    method: 'patch',
    operationId: 'orders/change',
    summary: 'Change an order',
    description: 'Long',
    parameters: [{ ...PARAMETER, 'x-internal': true }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object', properties: { note: { type: 'string' } } } } },
    },
    responses: { 200: { description: 'Changed' }, default: {} },
    'x-owner': { team: 'shop' },
  },
  enabled_on_channel: { channels: ['web', 'email'] },
  pinned: true,
  tags: ['orders'],
  require_form_submission: true,
  retry_safe: true,
  read_only: true,
  requires_verified: true,
  confirm: 'always',
  limits: { '>': [{ var: 'body_params.amount' }, 100] },
};
const LEAST = { name: 'Ping', api_endpoint: 'https://example.com/ping', request_type: 'GET', payload: {} };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const create = async (org: TestOrg, fields: object = LEAST) => {
  const { status, body } = await org.post('/actions', fields);
  expect([status, body]).toEqual([201, expect.any(Object)]);
  return body;
};

describe('an action', () => {
  it('is created, read, listed oldest first, updated and deleted', async () => {
    const org = await api.createOrg();
    const first = await create(org, EVERYTHING);
    expect(first).toEqual({
      id: expect.any(String),
      ...EVERYTHING,
      held: false,
      connection: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const second = await create(org);
    expect((await org.get('/actions')).body).toEqual([first, second]);
    expect(await org.get(`/actions/${first.id}`)).toMatchObject({ status: 200, body: first });

    const changes = { pinned: false, enabled_on_channel: { channels: [] } };
    const changed = await org.patch(`/actions/${first.id}`, changes);
    expect(changed).toMatchObject({ status: 200 });
    expect(changed.body).toEqual({ ...first, ...changes, updated_at: expect.any(String) });
    expect((await org.get(`/actions/${first.id}`)).body).toEqual(changed.body);

    expect(await org.delete(`/actions/${first.id}`)).toMatchObject({ status: 200, body: '' });
    expect((await org.get('/actions')).body).toEqual([second]);
    for (const method of ['get', 'delete'] as const)
      expect((await org[method](`/actions/${first.id}`)).status).toBe(404);
    expect((await org.patch(`/actions/${first.id}`, {})).status).toBe(404);
  });

  it('needs a name, an address, a method and a payload, and is enabled on the web alone by default', async () => {
    expect(await create(await api.createOrg())).toMatchObject({
      ...LEAST,
      operation_id: 'ping',
      description: null,
      enabled_on_channel: { channels: ['web'] },
      pinned: false,
      tags: [],
      require_form_submission: false,
      retry_safe: false,
      requires_verified: false,
      confirm: 'auto',
      limits: null,
    });
    for (const field of Object.keys(LEAST)) {
      const { status, body } = await api.org.post('/actions', { ...LEAST, [field]: undefined });
      expect([status, body.issues?.[0]?.path]).toEqual([400, `body.${field}`]);
    }
  });

  it.each([
    ['an operator of no JSON Logic', { shout: [1] }],
    ['two operators', { '>': [1, 2], '<': [1, 2] }],
    ['a text', 'amount > 100'],
    ['a list', [1]],
  ])('has no limits that are %s', async (_, limits) => {
    const refused = { status: 400, body: { issues: [{ path: 'body.limits' }] } };
    const org = await api.createOrg();
    expect(await org.post('/actions', { ...LEAST, limits })).toMatchObject(refused);
    const { id } = await create(org);
    expect(await org.patch(`/actions/${id}`, { limits })).toMatchObject(refused);
    expect((await org.get(`/actions/${id}`)).body.limits).toBeNull();
  });

  it('gets a unique operation id derived from its name, even with concurrent requests', async () => {
    const org = await api.createOrg();
    const names = ['Größe prüfen!', '注文', 'Größe  prüfen', 'Grosse'];
    for (const name of names) await create(org, { ...LEAST, name });
    await Promise.all(Array.from({ length: 5 }, () => create(org, { ...LEAST, name: 'Same' })));
    const ids = (await org.get('/actions')).body.map(({ operation_id }: { operation_id: string }) => operation_id);
    expect(ids.slice(0, 4)).toEqual(['gro_e_prufen', 'action', 'gro_e_prufen_2', 'grosse']);
    expect(ids.slice(4).sort()).toEqual(['same', 'same_2', 'same_3', 'same_4', 'same_5']);
  });

  it('cannot have the operation id of another action of the org', async () => {
    const org = await api.createOrg();
    const { id } = await create(org, { ...LEAST, operation_id: 'one' });
    const other = await create(org, { ...LEAST, operation_id: 'other' });
    const conflicting = { type: 'action', id, field: 'operation_id' };
    const message = expect.stringContaining('operation_id: another action has one');
    const taken = { status: 409, body: { code: 'already_exists', message, conflicting } };
    expect(await org.post('/actions', { ...LEAST, operation_id: 'one' })).toMatchObject(taken);
    expect(await org.patch(`/actions/${other.id}`, { operation_id: 'one' })).toMatchObject(taken);
    expect(await org.patch(`/actions/${id}`, { operation_id: 'one' })).toMatchObject({ status: 200 });
    await create(api.other, { ...LEAST, operation_id: 'one' });
  });
});

describe('an action that cannot be called is refused, naming the wrong field', () => {
  const parameters = (...list: object[]) => ({ payload: { parameters: list } });
  const body = (content: object, more: object = {}) => ({
    request_type: 'POST',
    payload: { requestBody: { content }, ...more },
  });
  it.each([
    [{ api_endpoint: 'ftp://example.com' }, 'api_endpoint'],
    [{ api_endpoint: '/orders' }, 'api_endpoint'],
    [{ api_endpoint: 'https://user:pass@example.com/' }, 'api_endpoint'],
    [{ api_endpoint: 'https://{host}.example.com/' }, 'api_endpoint'],
    [{ api_endpoint: 'https://example.com/?q={q}' }, 'api_endpoint'],
    [{ api_endpoint: 'https://example.com/{a' }, 'api_endpoint'],
    [{ api_endpoint: 'https://example.com/{id}' }, 'api_endpoint'],
    [{ request_type: 'HEAD' }, 'request_type'],
    [{ operation_id: 'a b' }, 'operation_id'],
    [{ operation_id: 'x'.repeat(129) }, 'operation_id'],
    [{ enabled_on_channel: { channels: ['fax'] } }, 'enabled_on_channel.channels.0'],
    [{ payload: { method: 'post' } }, 'payload.method'],
    [{ payload: { 'x-large': 'x'.repeat(70_000) } }, 'payload'],
    [parameters({ name: 'id', in: 'path' }), 'payload.parameters.0.name'],
    [parameters({ name: 'a', in: 'body' }), 'payload.parameters.0.in'],
    [parameters({ name: 'a', in: 'query' }, { name: 'a', in: 'query' }), 'payload.parameters.1.name'],
    [parameters({ name: 'X-A', in: 'header' }, { name: 'x-a', in: 'header' }), 'payload.parameters.1.name'],
    [parameters({ name: 'Host', in: 'header' }), 'payload.parameters.0.name'],
    [parameters({ name: 'Transfer-Encoding', in: 'header' }), 'payload.parameters.0.name'],
    [parameters({ name: 'a b', in: 'header' }), 'payload.parameters.0.name'],
    [parameters({ name: 'a', in: 'query', schema: { anyOf: [{ $ref: '#/x' }] } }), 'payload.parameters.0.schema'],
    [body({}), 'payload.requestBody.content'],
    [body({ xml: {} }), 'payload.requestBody.content'],
    [
      body({ 'application/json': { schema: { $ref: 'https://example.com/' } } }),
      'payload.requestBody.content.application/json.schema',
    ],
    [{ ...body({ 'application/json': {} }), request_type: 'GET' }, 'payload.requestBody'],
  ])('when created with %j (%#)', async (fields, path) => {
    const { status, body: answer } = await api.org.post('/actions', { ...LEAST, ...fields });
    expect([status, answer.issues?.map((issue: { path: string }) => issue.path)]).toEqual([400, [`body.${path}`]]);
  });

  it('when an update makes it inconsistent with its other fields', async () => {
    const { id } = await create(api.org, { ...EVERYTHING, operation_id: 'half' });
    for (const [change, path] of [
      [{ request_type: 'GET' }, 'body.payload.method'],
      [{ api_endpoint: 'https://example.com/' }, 'body.payload.parameters.0.name'],
      [{ payload: {} }, 'body.api_endpoint'],
    ] as const) {
      const { status, body: answer } = await api.org.patch(`/actions/${id}`, change);
      expect([status, answer.issues?.[0]?.path]).toEqual([400, path]);
    }
  });

  it('but not for a schema property named $ref', async () => {
    const schema = { type: 'object', properties: { $ref: { type: 'string' } } };
    await create(await api.createOrg(), { ...LEAST, ...body({ 'application/json': { schema } }) });
  });
});

describe('access to actions', () => {
  it('needs actions:read to read, and actions:write to change and test', async () => {
    const { id } = await create(api.org, { ...LEAST, operation_id: 'who' });
    const reader = await api.org.withScopes('actions:read');
    const writer = await api.org.withScopes('actions:write');
    for (const path of ['/actions', `/actions/${id}`]) {
      expect((await reader.get(path)).status).toBe(200);
      expect((await writer.get(path)).status).toBe(403);
    }
    const refused = { status: 403, body: { message: 'Missing required scope: actions:write' } };
    expect(await reader.post('/actions', LEAST)).toMatchObject(refused);
    expect(await reader.patch(`/actions/${id}`, {})).toMatchObject(refused);
    expect(await reader.post(`/actions/${id}/test`, {})).toMatchObject(refused);
    expect(await reader.put('/actions', new FormData())).toMatchObject(refused);
    expect(await reader.delete(`/actions/${id}`)).toMatchObject(refused);
    expect(await reader.delete('/actions')).toMatchObject(refused);
    expect((await writer.delete(`/actions/${id}`)).status).toBe(200);
  });

  it('is deleted with all others of the org, and of no other org', async () => {
    const { id } = await create(api.other, { ...LEAST, operation_id: 'theirs' });
    await create(api.org, { ...LEAST, operation_id: 'one' });
    await create(api.org, { ...LEAST, operation_id: 'two' });
    expect(await api.org.delete('/actions')).toMatchObject({ status: 200, body: '' });
    expect((await api.org.get('/actions')).body).toEqual([]);
    expect((await api.other.get(`/actions/${id}`)).status).toBe(200);
    expect((await api.org.delete('/actions')).status).toBe(200);
  });

  it("is limited to the key's org: the action of another org is a 404 and stays unchanged", async () => {
    const { id } = await create(api.org, { ...LEAST, operation_id: 'mine' });
    const { other } = api;
    expect((await other.get(`/actions/${id}`)).status).toBe(404);
    expect((await other.patch(`/actions/${id}`, { name: 'Mine' })).status).toBe(404);
    expect((await other.post(`/actions/${id}/test`, {})).status).toBe(404);
    expect((await other.delete(`/actions/${id}`)).status).toBe(404);
    expect((await api.org.get(`/actions/${id}`)).body).toMatchObject({ name: LEAST.name });
  });
});

it(`an org has at most ${MAX_ACTIONS} actions, even with concurrent requests`, async () => {
  const org = await api.createOrg();
  const rows = Array.from({ length: MAX_ACTIONS - 1 }, (_, n) => ({
    org_id: org.id,
    id: crypto.randomUUID(),
    name: `${n}`,
    api_endpoint: LEAST.api_endpoint,
    request_type: 'GET' as const,
    operation_id: `op${n}`,
    payload: '{}',
    channels: [],
    pinned: false,
    tags: [],
    require_form_submission: false,
  }));
  await api.db.insertInto('actions').values(rows).execute();
  const answers = await Promise.all([1, 2, 3].map(() => org.post('/actions', LEAST)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect((await org.get('/actions')).body).toHaveLength(MAX_ACTIONS);
});
