import { setTimeout as sleep } from 'node:timers/promises';
import { anyFreePort } from '../../src/dev/ports.ts';
import { startProgram } from '../logging/support/program.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { testNamespace } from '../support/stack/servers.ts';
import { eventually } from '../support/stack/stack.ts';
import { activate } from '../support/triggers.ts';

/** Longer than any fixed limit of the past. */
const SLOW_MS = 12_000;
const DRAIN_SECONDS = 2;

let api: TestApi;
let shop: FakeProvider;
beforeAll(async () => {
  shop = await startFakeProvider();
  api = await startApi();
});
afterAll(async () => {
  await api.close();
  await shop.close();
});
beforeEach(() => {
  shop.calls.length = 0;
});

const settings = () => ({
  DATABASE_URL: api.databaseUrl,
  JWT_SECRET: api.config.JWT_SECRET,
  EGRESS_ALLOW: '127.0.0.0/8',
  TEMPORAL_NAMESPACE: testNamespace(),
});

it('an api that is to stop says so first, still answers, and finishes a request of 12 s', async () => {
  const port = await anyFreePort();
  const url = `http://127.0.0.1:${port}`;
  const program = await startProgram('api', {
    ...settings(),
    PORT: String(port),
    DRAIN_SECONDS: String(DRAIN_SECONDS),
  });
  await program.find('the api listens', ({ msg }) => String(msg).includes('Server listening'));
  const headers = { authorization: `Bearer ${api.org.key}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const action = { name: 'Slow', api_endpoint: `${shop.url}/slow`, request_type: 'POST', payload: {} };
  const { id } = JSON.parse(await (await post('/actions', action)).text());
  shop.next({ status: 200, after: sleep(SLOW_MS) });
  const slow = post(`/actions/${id}/test`, {}).then(({ status }) => status, String);
  await eventually('the call', () => shop.calls.length === 1);

  const stopped = program.stop();
  const until = performance.now() + DRAIN_SECONDS * 900;
  await eventually('the drain', async () => (await fetch(`${url}/readyz`)).status === 503);
  do {
    expect((await fetch(`${url}/org`, { headers })).status).toBe(200);
    await sleep(50);
  } while (performance.now() < until);
  expect(await slow).toBe(200);
  await stopped;
  expect(shop.calls).toHaveLength(1);
});

it.each(['on', 'off'])(
  'a worker that is to stop finishes a call of 12 s, which is made once (fast paths %s)',
  async (FAST_PATHS) => {
    const worker = () => startProgram('worker', { ...settings(), FAST_PATHS });
    const program = await worker();
    await program.find('the worker works', ({ msg }) => msg === 'working');
    const call = {
      $kind: 'Action',
      id: 'call',
      type: 'send-webhook',
      name: 'Call',
      input: { url: `${shop.url}/slow` },
    };
    const { id } = await activate(api.org, { trigger_type: 'manual-trigger', workflow_blocks: [call] });
    shop.next({ status: 200, after: sleep(SLOW_MS) });
    const runId = (await api.org.post(`/workflows/${id}/trigger`, { input: {} })).body.run_id;
    await eventually('the call', () => shop.calls.length === 1);
    await program.stop();

    const next = await worker();
    const statusOf = async () => (await api.org.get(`/workflows/${id}/runs/${runId}`)).body.status;
    await eventually('the end of the run', async () => ['completed', 'failed'].includes(await statusOf()));
    await next.stop();
    expect([await statusOf(), shop.calls.length]).toEqual(['completed', 1]);
  },
);
