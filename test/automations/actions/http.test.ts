import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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

it.each(ALL)('gives status and body of a %s, called with the step’s key', async (method) => {
  fake.next({ status: 404, body: { id: 7 } });
  expect(await execute(await create(method), {}, 'run/0')).toEqual({ status: 404, body: { id: 7 } });
  expect(fake.calls).toMatchObject([{ method, path: '/call', headers: { 'idempotency-key': 'run/0' } }]);
});

describe('a GET', () => {
  it.each([
    [429, { 'retry-after': '7' }, 7_000],
    [500, {}, undefined],
    [503, {}, undefined],
  ])('takes %i for an error that may pass, and is called again', async (status, headers, retryAfterMs) => {
    fake.next({ status, headers });
    const id = await create('GET');
    await expect(execute(id, {}, 'k')).rejects.toMatchObject({ name: 'ProviderError', transient: true, retryAfterMs });
    expect(await execute(id, {}, 'k')).toMatchObject({ status: 200 });
    expect(fake.calls).toHaveLength(2);
  });

  it('takes no answer for an error that may pass', async () => {
    await expect(execute(await create('GET', { api_endpoint: 'http://127.0.0.1:1/' }))).rejects.toMatchObject({
      transient: true,
    });
  });
});

describe('any other method', () => {
  it.each(UNSAFE.flatMap((method) => [429, 500, 503].map((status) => [method, status] as const)))(
    '%s takes %i for output',
    async (method, status) => {
      fake.next({ status, body: {} });
      expect(await execute(await create(method))).toEqual({ status, body: {} });
    },
  );

  it('is called once under a key: a second try gives the first one’s answer', async () => {
    fake.next({ status: 201, body: { id: 7 } });
    const id = await create('POST');
    const tries = [await execute(id, {}, 'k'), await execute(id, {}, 'k')];
    expect(tries).toEqual(Array(2).fill({ status: 201, body: { id: 7 } }));
    expect(fake.calls).toHaveLength(1);
    await execute(id, {}, 'another');
    expect(fake.calls).toHaveLength(2);
  });

  it('is not called again where a try died before it saw the answer, until somebody starts the step once more', async () => {
    const id = await create('POST');
    await api.db.insertInto('action_calls').values({ org_id: org.id, key: 'k' }).execute();
    await expect(execute(id, {}, 'k')).rejects.toMatchObject({
      name: 'ProviderError',
      transient: false,
      message: expect.stringContaining('may have been done'),
    });
    expect(fake.calls).toEqual([]);
    expect(await execute(id, {}, 'k')).toMatchObject({ status: 200 });
  });

  it('is tried again where nobody can have got it', async () => {
    const id = await create('POST', { api_endpoint: 'http://127.0.0.1:1/' });
    await expect(execute(id, {}, 'k')).rejects.toMatchObject({ transient: true });
    await org.patch(`/actions/${id}`, { api_endpoint: `${fake.url}/` });
    expect(await execute(id, {}, 'k')).toMatchObject({ status: 200 });
  });

  it('is given up where the answer is lost', async () => {
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

  it('forgets calls after a week', async () => {
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
])('fails for good with %j', async (input, kind) => {
  await expect(perform(org, 'execute-action', { action_id: await create('GET'), ...input })).rejects.toMatchObject({
    name: 'DomainError',
    kind,
  });
  expect(fake.calls).toEqual([]);
});

it("never takes another org's action", async () => {
  const id = await create('GET');
  await expect(perform(api.other, 'execute-action', { action_id: id })).rejects.toMatchObject({ kind: 'not_found' });
});

it.each([{ action_id: 'x' }, { action_id: newId(), parameters: { path: {} } }, { action_id: newId(), more: 1 }])(
  'refuses %j before anything is done',
  async (input) => {
    await expect(perform(org, 'execute-action', input)).rejects.toMatchObject({ name: 'ZodError' });
  },
);
