import { sql } from 'kysely';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

let api: TestApi;
let guarded: TestApi;
let fake: FakeProvider;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
  guarded = await startApi();
  fake = await startFakeProvider();
});
afterAll(async () => {
  await fake.close();
  await api.close();
  await guarded.close();
});
beforeEach(async () => {
  fake.calls.length = 0;
  org = await api.createOrg();
});

const integer = { type: 'integer', minimum: 1 };
const ORDER = {
  name: 'Order',
  request_type: 'POST',
  payload: {
    parameters: [
      { name: 'id', in: 'path', schema: { type: 'string' } },
      { name: 'limit', in: 'query', schema: integer },
      { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
      { name: 'ids', in: 'query', explode: false, schema: { type: 'array' } },
      { name: 'where', in: 'query', style: 'deepObject', schema: { type: 'object' } },
      { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
      { name: 'session', in: 'cookie', schema: { type: 'string' } },
    ],
    requestBody: {
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['note'],
            additionalProperties: false,
            properties: { note: { type: 'string', nullable: true }, count: integer, constructor: { type: 'string' } },
          },
        },
      },
    },
  },
};

const create = async (fields: object = ORDER, at = org, path = '/orders/{id}?version=1#top') =>
  (await at.post('/actions', { ...ORDER, api_endpoint: `${fake.url}${path}`, ...fields })).body.id;
const call = (id: string, parameters: object = {}, more: object = {}, at = org) =>
  at.post(`/actions/${id}/test`, { parameters, ...more });
const form = (schema: object = {}) => ({
  payload: { requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } } },
});

describe('a test of an action', () => {
  it('calls the address with every parameter in its place, and returns the response', async () => {
    fake.next({ status: 418, body: { id: 7 }, headers: { 'x-answer': 'yes' } });
    const { status, body } = await call(await create(), {
      path_params: { id: 'a b?#ä' },
      query_params: { limit: 5, tags: ['a&b', 'c'], ids: [1, 2], where: { name: 'x=y' } },
      headers: { 'x-trace': 't1' },
      cookies: { session: 's;1' },
      body_params: { note: 'ä', count: 2 },
    });
    expect([status, body]).toEqual([
      200,
      {
        status: 418,
        headers: expect.objectContaining({ 'x-answer': 'yes' }),
        body: { id: 7 },
        duration_ms: expect.any(Number),
      },
    ]);
    expect(fake.calls).toEqual([
      {
        method: 'POST',
        path: '/orders/a%20b%3F%23%C3%A4?version=1&limit=5&tags=a%26b&tags=c&ids=1,2&where%5Bname%5D=x%3Dy',
        body: '{"note":"ä","count":2}',
        headers: expect.objectContaining({
          'content-type': 'application/json',
          'x-trace': 't1',
          cookie: 'session=s%3B1',
          'idempotency-key': expect.any(String),
        }),
      },
    ]);
  });

  it('sends the body as a form if the operation declares one', async () => {
    const id = await create(form(), org, '/form');
    expect((await call(id, { body_params: { a: 'x y&z', b: [1, true] } })).status).toBe(200);
    expect(fake.calls).toMatchObject([
      { body: 'a=x+y%26z&b=1&b=true', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ]);
    expect((await call(id, { body_params: ['a'] })).body.issues[0].path).toBe('body.parameters.body_params');
  });

  it('returns at most 64 KB of a response', async () => {
    fake.next({ status: 200, body: 'ä'.repeat(100_000) });
    const { body } = await call(await create({ payload: {} }, org, '/'));
    expect(Buffer.byteLength(body.body)).toBeLessThanOrEqual(64 * 1024);
    expect(Buffer.byteLength(body.body)).toBeGreaterThan(64 * 1024 - 4);
  });

  it('calls once per Idempotency-Key, and returns the same response again', async () => {
    const id = await create({ payload: {} }, org, '/');
    const headers = { 'idempotency-key': 'k1' };
    const [first, again] = [
      await org.post(`/actions/${id}/test`, {}, { headers }),
      await org.post(`/actions/${id}/test`, {}, { headers }),
    ];
    expect(again.body).toEqual(first.body);
    expect(fake.calls).toHaveLength(1);
  });

  it('calls once per Idempotency-Key of a day, even if the response was lost in a crash', async () => {
    const id = await create({ payload: {} }, org, '/');
    const test = () => org.post(`/actions/${id}/test`, {}, { headers: { 'idempotency-key': 'k2' } });
    /** Removes the stored responses, as after a crash before they were stored. */
    const forgetResponses = () => api.db.deleteFrom('idempotency_keys').where('principal_id', '=', org.id).execute();
    fake.next({ status: 418, body: { id: 7 }, headers: { 'x-answer': 'yes' } });
    const first = await test();
    await forgetResponses();
    const again = await test();
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(fake.calls).toHaveLength(1);

    await api.db.updateTable('action_calls').set({ answer: sql`null` }).where('org_id', '=', org.id).execute();
    await forgetResponses();
    const unseen = await test();
    expect([unseen.status, unseen.body.message]).toEqual([422, expect.stringContaining('send a new key')]);
    expect(fake.calls).toHaveLength(1);

    const dayBefore = sql<Date>`now() - interval '25 hours'`;
    await api.db.updateTable('action_calls').set({ began_at: dayBefore }).where('org_id', '=', org.id).execute();
    expect((await test()).status).toBe(200);
    expect(fake.calls).toHaveLength(2);
  });

  it('calls again with the same Idempotency-Key if the first call did not reach anybody', async () => {
    const id = await create({ api_endpoint: 'http://169.254.169.254/', payload: {} });
    const test = () => org.post(`/actions/${id}/test`, {}, { headers: { 'idempotency-key': 'k3' } });
    expect((await test()).status).toBe(422);
    await org.patch(`/actions/${id}`, { api_endpoint: `${fake.url}/` });
    expect((await test()).status).toBe(200);
    expect(fake.calls).toHaveLength(1);
  });

  it('refuses addresses that are not public, with the reason', async () => {
    for (const api_endpoint of [fake.url, 'http://169.254.169.254/latest', 'http://[::1]/', 'http://localhost:1/']) {
      const id = await create({ api_endpoint, payload: {} }, guarded.org);
      const { status, body } = await call(id, {}, {}, guarded.org);
      expect([status, body.message]).toEqual([422, expect.stringContaining('not a public address')]);
    }
    expect(fake.calls).toEqual([]);
  });

  it('follows no redirect into private networks', async () => {
    fake.next({ status: 302, headers: { location: 'http://10.0.0.1/' } });
    const { status, body } = await call(await create({ request_type: 'GET', payload: {} }, org, '/'));
    expect([status, body.message]).toEqual([422, expect.stringContaining('10.0.0.1 is not a public address')]);
  });

  it('reports the reason if no response arrives', async () => {
    const id = await create({ api_endpoint: 'http://127.0.0.1:1/', payload: {} });
    const { status, body } = await call(id);
    expect([status, body.message]).toEqual([422, expect.stringContaining('could not be reached')]);
  });
});

describe('parameters of an action', () => {
  const note = { body_params: { note: 'x' } };
  const id = { path_params: { id: '1' } };
  it.each([
    [{ ...note }, 'path_params.id'],
    [{ ...id }, undefined],
    [{ ...id, body_params: {} }, 'body_params'],
    [{ ...id, body_params: { note: 5 } }, 'body_params.note'],
    [{ ...id, body_params: { note: null } }, undefined],
    [{ ...id, body_params: { note: 'x', count: 0 } }, 'body_params.count'],
    [{ ...id, body_params: { note: 'x', other: 1 } }, 'body_params.other'],
    [{ ...id, body_params: 'text' }, 'body_params'],
    [{ ...id, query_params: { limit: '7' } }, undefined],
    [{ ...id, query_params: { limit: 'many' } }, 'query_params.limit'],
    [{ ...id, query_params: { limit: 0 } }, 'query_params.limit'],
    [{ ...id, query_params: { tags: [5] } }, 'query_params.tags.0'],
    [{ ...id, query_params: { offset: 1 } }, 'query_params.offset'],
    [{ ...id, headers: { 'X-Trace': 'a\tb' } }, undefined],
    [{ ...id, headers: { 'X-Trace': 'a\r\nHost: x' } }, 'headers.X-Trace'],
    [{ ...id, headers: { Host: 'internal' } }, 'headers.Host'],
    [{ path_params: { id: '' } }, 'path_params.id'],
    [{ path_params: { id: '..' } }, 'path_params.id'],
    [{ path_params: { id: 'a/../b' } }, 'path_params.id'],
    [{ path_params: { id: 'a\\b' } }, 'path_params.id'],
    [{ path_params: { id: '%2e%2e' } }, undefined],
    [{ ...id, path: {} }, ''],
  ])('given as %j are refused at %s (undefined: accepted)', async (parameters, path) => {
    const { status, body } = await call(await create(), parameters);
    if (path === undefined) expect([status, body]).toEqual([200, expect.any(Object)]);
    else {
      const paths = body.issues?.map((issue: { path: string }) => issue.path);
      expect([status, paths]).toEqual([
        400,
        expect.arrayContaining([`body.parameters${path === '' ? '' : `.${path}`}`]),
      ]);
    }
    expect(fake.calls).toHaveLength(path === undefined ? 1 : 0);
  });

  it('cannot change the path of the address', async () => {
    const payload = { parameters: ['a', 'b'].map((name) => ({ name, in: 'path' })) };
    const one = await create({ payload }, org, '/x/{a}{b}/y');
    expect((await call(one, { path_params: { a: '%2e', b: '%2e' } })).status).toBe(200);
    expect(fake.calls[0]?.path).toBe('/x/%252e%252e/y');
    const dotted = await create(
      { name: 'Dots', payload: { parameters: [{ name: 'a', in: 'path' }] } },
      org,
      '/x/.{a}/y',
    );
    expect((await call(dotted, { path_params: { a: '.' } })).status).toBe(400);
    expect((await call(dotted, { path_params: { a: 'a' } })).status).toBe(200);
  });

  it('are checked by interpreting their schemas: a hostile schema neither blocks nor breaks anything', async () => {
    const text = 'a'.repeat(40_000);
    const hostile = [
      [{ type: 'string', pattern: '^(a|a)*$' }, `${text}!`],
      [{ type: 'object', patternProperties: { '^(a+)+$': false } }, { [`${'a'.repeat(200)}!`]: 1 }],
      [{ type: 'object', required: ['toString'] }, {}],
      [{ type: 7, properties: 5, allOf: 'x' }, {}],
      [{ $id: 'https://example.com/', type: 'array', uniqueItems: true }, Array.from({ length: 5_000 }, (_, n) => [n])],
      [{ type: 'array', uniqueItems: true }, [[1], [2], [1]]],
      [{ type: 'array', uniqueItems: true }, [[1], [2]]],
      [{ items: { allOf: Array(500).fill({ not: false }) } }, Array(5_000).fill(1)],
    ] as const;
    const statuses: number[] = [];
    for (const [n, [schema, value]] of hostile.entries()) {
      const content = { 'application/json': { schema } };
      const action = await create({ name: `Hostile ${n}`, payload: { requestBody: { content } } }, org, '/');
      statuses.push((await call(action, { body_params: value })).status);
    }
    expect(statuses).toEqual([200, 200, 400, 400, 400, 400, 200, 400]);
  });
});
