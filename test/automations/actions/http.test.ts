import { newId } from '../../../src/ids.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { createActionRunner, type RunAction } from '../action-runner.ts';

let api: TestApi;
let perform: RunAction;
let fake: FakeProvider;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
  perform = createActionRunner(api);
  fake = await startFakeProvider();
});
afterAll(async () => {
  await fake.close();
  await api.close();
});
beforeEach(async () => {
  fake.calls.length = 0;
  org = await api.createOrg();
});

const create = async (request_type: string, fields: object = {}) =>
  (await org.post('/actions', { name: 'Call', api_endpoint: `${fake.url}/call`, request_type, payload: {}, ...fields }))
    .body.id;
const execute = (action_id: string, parameters: object = {}, key?: string) =>
  perform(org, 'execute-action', { action_id, parameters }, key);
const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE'];
const ALL = ['GET', ...UNSAFE];

it.each(ALL)(
  'execute-action returns status and body of a %s request and sends the step’s dedupe key',
  async (method) => {
    fake.next({ status: 404, body: { id: 7 } });
    expect(await execute(await create(method), {}, 'run/0')).toEqual({ status: 404, body: { id: 7 } });
    expect(fake.calls).toMatchObject([{ method, path: '/call', headers: { 'idempotency-key': 'run/0' } }]);
  },
);

describe('execute-action with GET', () => {
  it.each([
    [429, { 'retry-after': '7' }, 7_000],
    [500, {}, undefined],
    [503, {}, undefined],
  ])(
    'treats the status %i as a transient error and repeats the request on retry',
    async (status, headers, retryAfterMs) => {
      fake.next({ status, headers });
      const id = await create('GET');
      await expect(execute(id, {}, 'k')).rejects.toMatchObject({
        name: 'ProviderError',
        transient: true,
        retryAfterMs,
      });
      expect(await execute(id, {}, 'k')).toMatchObject({ status: 200 });
      expect(fake.calls).toHaveLength(2);
    },
  );

  it('treats a missing response as a transient error', async () => {
    await expect(execute(await create('GET', { api_endpoint: 'http://127.0.0.1:1/' }))).rejects.toMatchObject({
      transient: true,
    });
  });
});

describe('execute-action with other methods', () => {
  it.each(UNSAFE.flatMap((method) => [429, 500, 503].map((status) => [method, status] as const)))(
    'returns the response of %s with status %i as output',
    async (method, status) => {
      fake.next({ status, body: {} });
      expect(await execute(await create(method))).toEqual({ status, body: {} });
    },
  );

  it('sends one request for a dedupe key: a second attempt returns the first response', async () => {
    fake.next({ status: 201, body: { id: 7 } });
    const id = await create('POST');
    const tries = [await execute(id, {}, 'k'), await execute(id, {}, 'k')];
    expect(tries).toEqual(Array(2).fill({ status: 201, body: { id: 7 } }));
    expect(fake.calls).toHaveLength(1);
    await execute(id, {}, 'another');
    expect(fake.calls).toHaveLength(2);
  });

  it('sends no second request after an attempt died without the response, however often the step is repeated', async () => {
    const id = await create('POST');
    await api.db.insertInto('action_calls').values({ org_id: org.id, key: 'k' }).execute();
    for (let repeats = 0; repeats < 2; repeats++)
      await expect(execute(id, {}, 'k')).rejects.toMatchObject({
        name: 'ProviderError',
        transient: false,
        message: expect.stringContaining('may have been done'),
      });
    expect(fake.calls).toEqual([]);
  });

  it('repeats a request that cannot have arrived', async () => {
    const id = await create('POST', { api_endpoint: 'http://127.0.0.1:1/' });
    await expect(execute(id, {}, 'k')).rejects.toMatchObject({ transient: true });
    await org.patch(`/actions/${id}`, { api_endpoint: `${fake.url}/` });
    expect(await execute(id, {}, 'k')).toMatchObject({ status: 200 });
  });

  it('fails permanently if the response is lost', async () => {
    const lost = await startFakeProvider();
    const id = await create('POST', { api_endpoint: `${lost.url}/`, name: 'Lost' });
    lost.next({ status: 200, headers: { 'content-length': '9999' } });
    const failed = expect(execute(id)).rejects.toMatchObject({
      transient: false,
      message: expect.stringContaining('may have been done'),
    });
    await failed;
    expect(lost.calls).toHaveLength(1);
    await lost.close();
  });

  it('deletes stored calls after a week', async () => {
    const old = { org_id: org.id, key: 'old', began_at: new Date(Date.now() - 8 * 86_400_000) };
    await api.db.insertInto('action_calls').values(old).execute();
    await execute(await create('POST'), {}, 'new');
    const rows = await api.db
      .selectFrom('action_calls')
      .select(['key', 'answer'])
      .where('org_id', '=', org.id)
      .execute();
    expect(rows).toEqual([{ key: 'new', answer: { status: 200, body: {} } }]);
  });
});

it.each([
  [{ action_id: crypto.randomUUID() }, 'not_found'],
  [{ parameters: { query_params: { a: 1 } } }, 'invalid'],
])('execute-action fails permanently with the input %j', async (input, kind) => {
  await expect(perform(org, 'execute-action', { action_id: await create('GET'), ...input })).rejects.toMatchObject({
    name: 'DomainError',
    kind,
  });
  expect(fake.calls).toEqual([]);
});

it("execute-action does not find another org's action", async () => {
  const id = await create('GET');
  await expect(perform(api.other, 'execute-action', { action_id: id })).rejects.toMatchObject({ kind: 'not_found' });
});

it.each([{ action_id: 'x' }, { action_id: newId(), parameters: { path: {} } }, { action_id: newId(), more: 1 }])(
  'execute-action rejects the input %j before any request',
  async (input) => {
    await expect(perform(org, 'execute-action', input)).rejects.toMatchObject({ name: 'ZodError' });
  },
);
