import { ACTIONS } from '../../src/automations/actions/registry.ts';
import { doStep, failStep } from '../../src/automations/runs/steps.service.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { activate } from '../support/triggers.ts';
import { depsOf } from './action-runner.ts';

const KEY = 'the-key-of-the-shop';
const AGAIN = 'send its credentials again';

let api: TestApi;
let shop: FakeProvider;
let other: FakeProvider;
beforeAll(async () => {
  shop = await startFakeProvider();
  other = await startFakeProvider();
  api = await startApi({ env: { EGRESS_ALLOW: '127.0.0.0/8', FAST_PATHS: 'off' } }); // the tests do the steps
});
afterAll(async () => {
  await api.close();
  await shop.close();
  await other.close();
});

const newAction = async (api_endpoint: string, name = `orders ${crypto.randomUUID()}`): Promise<string> => {
  const payload = { parameters: [{ name: 'api_key', in: 'query', schema: { type: 'string' } }] };
  const { status, body } = await api.org.post('/actions', { name, api_endpoint, request_type: 'GET', payload });
  expect(status).toBe(201);
  return body.id;
};
const move = (id: string, api_endpoint: string) => api.org.patch(`/actions/${id}`, { api_endpoint });
const call = (action_id: string, api_key = KEY) => ({
  $kind: 'Action',
  id: 'call',
  type: 'execute-action',
  name: 'Call',
  input: { action_id, parameters: { query_params: { api_key } } },
});
const within = (step: object) => ({
  $kind: 'Block',
  type: 'switch',
  id: 'choice',
  inputs: { value: 1 },
  branches: { cases: [{ equals: 2, steps: [] }], default: [step] },
});
const newWorkflow = (step: object) => activate(api.org, { trigger_type: 'manual-trigger', workflow_blocks: [step] });
const deps = () => ({ ...depsOf(api), actions: ACTIONS });
const start = async (id: string, input: object = {}, path = '0') => {
  const runId = (await api.org.post(`/workflows/${id}/trigger`, { input })).body.run_id;
  return { orgId: api.org.id, runId, path };
};
const run = async (id: string, input: object = {}, path = '0') => doStep(deps(), await start(id, input, path));
const save = async (id: string, change: object) => {
  const saved = await api.org.patch(`/workflows/${id}`, change);
  if (saved.status === 200) expect((await api.org.post(`/workflows/${id}/activate`, {})).status).toBe(200);
  return saved;
};
const stepsOf = async (id: string) => (await api.org.get(`/workflows/${id}`)).body.workflow_blocks;

describe('the credentials of a step that calls an action', () => {
  it('are not sent to the host that the action has been given later', async () => {
    const action = await newAction(`${shop.url}/orders`);
    const { id } = await newWorkflow(call(action));
    await run(id);
    expect(shop.calls.at(-1)?.path).toBe(`/orders?api_key=${KEY}`);
    await move(action, `${other.url}/orders`);
    await expect(run(id)).rejects.toThrow(`are not kept for ${other.url}, where its action is now: send them again`);
    expect(other.calls).toEqual([]);
    await move(action, `${shop.url}/other/orders`);
    await run(id);
    expect(shop.calls.at(-1)?.path).toBe(`/other/orders?api_key=${KEY}`);
  });

  it('stay with the host through new versions, which are refused while the action is elsewhere', async () => {
    const action = await newAction(`${shop.url}/orders`);
    const { id } = await newWorkflow(call(action));
    await save(id, { name: 'Renamed' });
    await move(action, `${other.url}/orders`);
    expect((await api.org.get(`/workflows/${id}`)).body.warnings).toEqual([
      `workflow_blocks.call: ${AGAIN}: they are not kept for ${other.url}, where its action is now`,
    ]);
    for (const change of [{ name: 'Renamed' }, { workflow_blocks: await stepsOf(id) }])
      expect(await save(id, change)).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'body.workflow_blocks.call', message: expect.stringContaining(AGAIN) }] },
      });
    await expect(run(id)).rejects.toThrow('are not kept');
    const given = await save(id, { workflow_blocks: [call(action, 'the-key-of-the-other')] });
    expect([given.status, given.body.warnings]).toEqual([200, []]);
    await run(id);
    expect(other.calls.at(-1)?.path).toBe('/orders?api_key=the-key-of-the-other');
  });

  it('are not sent to the host that an import gives the action', async () => {
    const document = (url: string) => ({
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      servers: [{ url }],
      paths: {
        '/imported': {
          get: {
            operationId: 'imported',
            parameters: [{ name: 'api_key', in: 'query', schema: { type: 'string' } }],
            responses: {},
          },
        },
      },
    });
    const imported = async (url: string) => {
      const form = new FormData();
      form.append('file', new Blob([JSON.stringify(document(url))]), 'api.json');
      expect((await api.org.put('/actions', form)).status).toBe(200);
      const { body: listed } = await api.org.get('/actions');
      return listed.find((found: { operation_id: string }) => found.operation_id === 'imported').id;
    };
    const { id } = await newWorkflow(within(call(await imported(shop.url))));
    const inside = '0.default.0';
    await run(id, {}, inside);
    expect(shop.calls.at(-1)?.path).toBe(`/imported?api_key=${KEY}`);
    await imported(other.url);
    await expect(run(id, {}, inside)).rejects.toThrow('are not kept');
  });

  it('go to the actions that the org has when they are given, where a value of the run chooses one', async () => {
    const [first, second] = [await newAction(`${shop.url}/a`), await newAction(`${shop.url}/b`)];
    const { id } = await newWorkflow(call('{{trigger.input.action}}'));
    for (const action of [first, second]) await run(id, { action });
    expect(shop.calls.slice(-2).map(({ path }) => path)).toEqual([`/a?api_key=${KEY}`, `/b?api_key=${KEY}`]);
    await move(second, 'http://127.0.0.2:1/b');
    expect((await save(id, { name: 'Renamed' })).status).toBe(200);
    await expect(run(id, { action: second })).rejects.toThrow('are not kept for http://127.0.0.2:1');
  });

  it('are bound to nothing where a run inserts them', async () => {
    const action = await newAction(`${shop.url}/orders`);
    const { id } = await newWorkflow(call(action, '{{trigger.input.key}}'));
    await move(action, `${other.url}/inserted`);
    expect((await api.org.get(`/workflows/${id}`)).body.warnings).toEqual([]);
    await run(id, { key: 'of the run' });
    expect(other.calls.at(-1)?.path).toBe('/inserted?api_key=of%20the%20run');
  });

  it('given for a retry belong to the host that the action has then', async () => {
    const action = await newAction(`${shop.url}/orders`);
    const { id } = await newWorkflow(call(action));
    await move(action, `${other.url}/retried`);
    const at = await start(id);
    await expect(doStep(deps(), at)).rejects.toThrow('are not kept');
    await failStep(deps(), { ...at, error: 'elsewhere' });
    const retry = (api_key: string) =>
      api.org.post(`/workflows/${id}/runs/${at.runId}/retry`, { input: call(action, api_key).input });
    expect((await retry('***')).body.issues).toEqual([{ path: 'body.input', message: expect.stringContaining(AGAIN) }]);
    expect((await retry('only-this-once')).status).toBe(200);
    await move(action, `${shop.url}/moved-back`);
    await expect(doStep(deps(), at)).rejects.toThrow('are not kept');
    await move(action, `${other.url}/retried`);
    await doStep(deps(), at);
    expect(other.calls.at(-1)?.path).toBe('/retried?api_key=only-this-once');
  });
});
