import { sql } from 'kysely';
import { ACTIONS } from '../../src/automations/actions/registry.ts';
import { doStep, failStep } from '../../src/automations/runs/steps.service.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { activate } from '../support/triggers.ts';
import { depsOf } from './action-runner.ts';

const AUTHORIZATION = 'Bearer the-token-of-the-shop';
const PASSWORD = 'the-password-of-the-shop';

let api: TestApi;
let receiver: FakeProvider;
beforeAll(async () => {
  receiver = await startFakeProvider();
  api = await startApi({ env: { EGRESS_ALLOW: '127.0.0.0/8', FAST_PATHS: 'off' } }); // the tests do the steps
});
afterAll(async () => {
  await api.close();
  await receiver.close();
});

const call = (input: object = {}) => ({
  $kind: 'Action',
  id: 'call',
  type: 'send-webhook',
  name: 'Call',
  input: {
    url: `${receiver.url}/hook`,
    headers: { authorization: AUTHORIZATION, 'x-source': 'shop' },
    body: { password: PASSWORD, token: '{{trigger.input.token}}' },
    ...input,
  },
});
const storedIn = async (table: string) => {
  const { rows } = await sql<{
    text: string;
  }>`select coalesce(string_agg(${sql.ref(table)}::text, ' '), '') as text from ${sql.table(table)}`.execute(api.db);
  return rows[0]?.text ?? '';
};
const pick = ({ workflow_blocks, workflow_editor_state }: Record<string, unknown>) => ({
  workflow_blocks,
  workflow_editor_state,
});
const run = async (id: string) => {
  const runId = (await api.org.post(`/workflows/${id}/trigger`, { input: { token: 'of the trigger' } })).body.run_id;
  await doStep({ ...depsOf(api), actions: ACTIONS }, { orgId: api.org.id, runId, path: '0' });
  return runId;
};

describe('credentials in the steps of a workflow', () => {
  it('are sent, but neither shown nor stored as they are; references stay readable', async () => {
    const { id } = await activate(api.org, { trigger_type: 'manual-trigger', workflow_blocks: [call()] });
    const runId = await run(id);
    expect(receiver.calls.at(-1)?.headers.authorization).toBe(AUTHORIZATION);
    expect(JSON.parse(receiver.calls.at(-1)?.body ?? '')).toEqual({ password: PASSWORD, token: 'of the trigger' });

    const shown = (await api.org.get(`/workflows/${id}`)).body.workflow_blocks[0].input;
    expect(shown).toMatchObject({
      headers: { authorization: '***', 'x-source': 'shop' },
      body: { password: '***', token: '{{trigger.input.token}}' },
    });
    const answers = [
      await api.org.get('/workflows'),
      await api.org.get(`/workflows/${id}/versions`),
      await api.org.get(`/workflows/${id}/runs/${runId}`),
      await api.org.post('/workflows/simulate', { workflow_id: id, trigger_output: {} }),
    ];
    const everything = [
      ...answers.map(({ body }) => JSON.stringify(body)),
      await storedIn('automation_versions'),
      await storedIn('automation_steps'),
    ].join('\n');
    for (const secret of [AUTHORIZATION, PASSWORD]) expect(everything).not.toContain(secret);
    expect(JSON.stringify(answers)).not.toContain('sealed:');
  });

  it('stay the same if their mask is sent back, and change if anything else is sent', async () => {
    const { id } = await activate(api.org, { trigger_type: 'manual-trigger', workflow_blocks: [call()] });
    const { workflow_blocks } = (await api.org.get(`/workflows/${id}`)).body;
    workflow_blocks[0].name = 'Called';
    workflow_blocks[0].input.body.password = 'another';
    expect((await api.org.patch(`/workflows/${id}`, { workflow_blocks })).status).toBe(200);
    expect((await api.org.patch(`/workflows/${id}`, { name: 'Renamed' })).status).toBe(200);
    expect((await api.org.post(`/workflows/${id}/activate`, {})).status).toBe(200);
    await run(id);
    expect(receiver.calls.at(-1)?.headers.authorization).toBe(AUTHORIZATION);
    expect(JSON.parse(receiver.calls.at(-1)?.body ?? '').password).toBe('another');
  });

  it('are not sent to another place than they were given for', async () => {
    const { id } = await activate(api.org, { trigger_type: 'manual-trigger', workflow_blocks: [call()] });
    const { workflow_blocks } = (await api.org.get(`/workflows/${id}`)).body;
    const change = async (url: string) => {
      workflow_blocks[0].input.url = url;
      return api.org.patch(`/workflows/${id}`, { workflow_blocks });
    };
    expect(await change('https://elsewhere.example/hook')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'body.workflow_blocks.call' }] },
    });
    expect((await change(`${receiver.url}/another/path`)).status).toBe(200);
    await run(id);
    expect(receiver.calls.at(-1)?.headers.authorization).toBe(AUTHORIZATION);
  });

  it('are not sent to the host that a value of a run would add to their address', async () => {
    const { origin } = new URL(receiver.url);
    const url = `${origin}{{trigger.input.token}}`;
    const { id } = await activate(api.org, { trigger_type: 'manual-trigger', workflow_blocks: [call({ url })] });
    const calls = receiver.calls.length;
    const runId = (await api.org.post(`/workflows/${id}/trigger`, { input: { token: '@elsewhere.example/' } })).body
      .run_id;
    await expect(doStep({ ...depsOf(api), actions: ACTIONS }, { orgId: api.org.id, runId, path: '0' })).rejects.toThrow(
      'host of its url',
    );
    expect(receiver.calls).toHaveLength(calls);
  });

  it('are asked for again where their mask stands for none that is stored', async () => {
    const { id } = await activate(api.org, { trigger_type: 'manual-trigger', workflow_blocks: [call()] });
    const { workflow_blocks } = (await api.org.get(`/workflows/${id}`)).body;
    const again = { ...workflow_blocks[0], id: 'again' };
    for (const [steps, path] of [
      [[again], `/workflows/${id}`],
      [[...workflow_blocks, again], `/workflows/${id}`],
      [[again], '/workflows'],
    ] as const) {
      const sent = { name: 'Copy', trigger_type: 'manual-trigger', workflow_blocks: steps };
      const answer = await (path === '/workflows' ? api.org.post(path, sent) : api.org.patch(path, sent));
      expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'body.workflow_blocks.again' }] } });
      expect(answer.body.message).toContain('send its credentials again');
    }
    expect((await api.org.get(`/workflows/${id}/versions`)).body.items).toHaveLength(1);
  });

  it('stay with their items in a list, or are asked for again', async () => {
    const accounts = ['ann', 'bob'].map((user) => ({ user, password: `of ${user}` }));
    const { id } = await activate(api.org, {
      trigger_type: 'manual-trigger',
      workflow_blocks: [call({ headers: {}, body: { accounts } })],
    });
    const { workflow_blocks } = (await api.org.get(`/workflows/${id}`)).body;
    const { body } = workflow_blocks[0].input;
    const [ann, bob] = body.accounts;
    const change = (list: object[]) => {
      body.accounts = list;
      return api.org.patch(`/workflows/${id}`, { workflow_blocks });
    };
    expect((await change([{ user: 'eve', password: 'of eve' }, bob])).status).toBe(200);
    expect((await change([bob, { ...bob, user: 'joe' }])).status).toBe(400); // bob's would be joe's too
    expect((await change([{ ...bob, user: 'joe' }, bob])).status).toBe(200); // eve is renamed
    expect((await change([bob, bob, { ...bob, user: 'max' }])).status).toBe(400);
    expect((await change([{ user: 'zoe', password: 'of zoe' }, bob, ann])).status).toBe(400);
    expect((await change([{ user: 'zoe', password: 'of zoe' }, { ...bob, user: 'joe' }, bob])).status).toBe(200);
    await api.org.post(`/workflows/${id}/activate`, {});
    await run(id);
    expect(JSON.parse(receiver.calls.at(-1)?.body ?? '').accounts).toEqual([
      { user: 'zoe', password: 'of zoe' },
      { user: 'joe', password: 'of eve' },
      { user: 'bob', password: 'of bob' },
    ]);
  });

  it('may be of any type, and are masked in the copy of an editor, too', async () => {
    const body = { pin: { password: 1234 }, credentials: { user: 'ann', pass: 'the-pass-of-ann' }, secret: ['one'] };
    const steps = [call({ headers: {}, body })];
    const { id } = await activate(api.org, {
      trigger_type: 'manual-trigger',
      workflow_blocks: steps,
      workflow_editor_state: { nodes: steps },
    } as never);
    await run(id);
    expect(JSON.parse(receiver.calls.at(-1)?.body ?? '')).toEqual(body);
    const { body: shown } = await api.org.get(`/workflows/${id}`);
    expect(shown.workflow_blocks[0].input.body).toEqual({
      pin: { password: '***' },
      credentials: '***',
      secret: '***',
    });
    expect(shown.workflow_editor_state.nodes[0].input.body.credentials).toBe('***');
    expect(await storedIn('automation_versions')).not.toContain('the-pass-of-ann');
    expect((await api.org.patch(`/workflows/${id}`, { ...pick(shown), name: 'Renamed' })).status).toBe(200);
    expect((await api.org.post(`/workflows/${id}/activate`, {})).status).toBe(200);
    await run(id);
    expect(JSON.parse(receiver.calls.at(-1)?.body ?? '')).toEqual(body);
  });

  it('are none of what a reference inserts', async () => {
    const { id } = await activate(api.org, {
      trigger_type: 'manual-trigger',
      workflow_blocks: [call({ body: { token: '{{trigger.input.token}}' } })],
    });
    const runId = (await api.org.post(`/workflows/${id}/trigger`, { input: { token: 'sealed:by-a-visitor' } })).body
      .run_id;
    await doStep({ ...depsOf(api), actions: ACTIONS }, { orgId: api.org.id, runId, path: '0' });
    expect(JSON.parse(receiver.calls.at(-1)?.body ?? '')).toEqual({ token: 'sealed:by-a-visitor' });
  });

  it('can be given anew for a retry, and are stored sealed', async () => {
    const missing = call({ url: 'http://127.0.0.1:1/nobody' });
    const { id } = await activate(api.org, { trigger_type: 'manual-trigger', workflow_blocks: [missing] });
    const runId = (await api.org.post(`/workflows/${id}/trigger`, { input: {} })).body.run_id;
    const deps = { ...depsOf(api), actions: ACTIONS };
    const at = { orgId: api.org.id, runId, path: '0' };
    await expect(doStep(deps, at)).rejects.toThrow();
    await failStep(deps, { ...at, error: 'not there' });
    const input = { url: receiver.url, headers: { authorization: '***' }, body: { password: 'only this once' } };
    const retry = `/workflows/${id}/runs/${runId}/retry`;
    expect((await api.org.post(retry, { input })).body.issues?.[0]?.path).toBe('body.input');
    input.headers.authorization = AUTHORIZATION;
    expect((await api.org.post(retry, { input })).status).toBe(200);
    expect(await storedIn('automation_steps')).not.toContain('only this once');
    await doStep(deps, at);
    expect(receiver.calls.at(-1)?.headers.authorization).toBe(AUTHORIZATION);
    expect(JSON.parse(receiver.calls.at(-1)?.body ?? '').password).toBe('only this once');
  });
});
