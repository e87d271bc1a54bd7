import { sql } from 'kysely';
import { ACTIONS } from '../../../src/automations/actions/registry.ts';
import type { RunInput } from '../../../src/automations/runs/contract.ts';
import { doFirstSteps } from '../../../src/automations/runs/first-steps.service.ts';
import { continueRun, doStep, failStep, type StepDeps } from '../../../src/automations/runs/steps.service.ts';
import { ProviderError } from '../../../src/errors.ts';
import { startFakeProvider } from '../../support/fakes/provider.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { activate } from '../../support/triggers.ts';
import { depsOf, noteStep, remoteNote } from '../action-runner.ts';

/** No worker runs here: the tests call the activities' services. */
let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi({ env: { FAST_PATHS: 'off', EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
});

const step = (id: string, more: object = {}) => noteStep(id, { retry: { attempts: 1 }, ...more });

/** A system that refuses the first call, and notes for which step each was made. */
function refusingOnce() {
  const calls: string[] = [];
  const action = remoteNote((dedupeKey) => {
    calls.push(dedupeKey);
    if (calls.length === 1) throw new ProviderError('It answered 500', { transient: true });
    return { message_id: 'm' };
  });
  return { calls, deps: { ...depsOf(api), actions: new Map([['add-note', action]]) } satisfies StepDeps };
}

/** Triggers a workflow, and returns what the workflow of its run begins with. */
async function startRun(workflow_blocks: object[]): Promise<RunInput & { orgId: string }> {
  const { id } = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks });
  const { run_id } = (await org.post(`/workflows/${id}/trigger`, { input: {} })).body;
  return { orgId: org.id, runId: run_id, next: { kind: 'action', path: '0', title: 'first', attempts: 1 } };
}

const stepsOf = async ({ runId }: RunInput) => {
  const { rows } = await sql<{ path: string; status: string }>`
    select path, status from automation_steps where run_id = ${runId} order by path
  `.execute(api.db);
  return rows.map(({ path, status }) => `${path} ${status}`);
};

it('a step that failed and was passed is not called again when the first steps are repeated', async () => {
  const { calls, deps } = refusingOnce();
  const run = await startRun([step('first', { on_error: 'continue' }), step('second'), step('third')]);
  await doFirstSteps(deps, run, () => calls.length === 2);
  await doFirstSteps(deps, run, () => false); // as after a kill
  expect(calls.map((key) => key.split('/').at(-1))).toEqual(['0', '1', '2']);
  expect(await stepsOf(run)).toEqual(['0 failed', '1 completed', '2 completed']);
});

it('an attempt that fails late changes nothing of a step that another attempt has completed', async () => {
  const { deps } = refusingOnce();
  const run = await startRun([step('first'), step('second')]);
  const at = { orgId: run.orgId, runId: run.runId, path: '0' };
  await expect(doStep(deps, at)).rejects.toThrow('It answered 500');
  await doStep(deps, at);
  expect(await failStep(deps, { ...at, error: 'It answered nothing' })).toMatchObject({ kind: 'action', path: '1' });
  expect(await stepsOf(run)).toEqual(['0 completed']);
  expect(await continueRun(deps, at)).toMatchObject({ kind: 'action', path: '1' });
});

it('a step that failed is called again after a retry by hand, also if its failure was to be passed', async () => {
  const { calls, deps } = refusingOnce();
  const run = await startRun([step('first', { on_error: 'continue' }), step('second')]);
  await doFirstSteps(deps, run, () => calls.length === 1);
  await sql`update automation_runs set status = 'failed' where id = ${run.runId}`.execute(api.db);
  const { rows } = await sql<{
    id: string;
  }>`select automation_id as id from automation_runs where id = ${run.runId}`.execute(api.db);
  expect((await org.post(`/workflows/${rows[0]?.id}/runs/${run.runId}/retry`, {})).status).toBe(200);
  await doFirstSteps(deps, run, () => false);
  expect(calls).toHaveLength(3);
  expect(await stepsOf(run)).toEqual(['0 completed', '1 completed']);
});

it('a step whose output cannot be stored fails with a reason, instead of being called for ever', async () => {
  const calls: string[] = [];
  const far = remoteNote((dedupeKey) => {
    calls.push(dedupeKey);
    return { message_id: 'a\ud800b' };
  });
  const deps = { ...depsOf(api), actions: new Map([['add-note', far]]) };
  const run = await startRun([step('first', { retry: { attempts: 3 } })]);
  await expect(doStep(deps, { ...run, path: '0' })).rejects.toMatchObject({
    name: 'DomainError',
    message: expect.stringContaining('cannot be stored'),
  });
  expect(await doFirstSteps(deps, run, () => false)).toEqual({
    kind: 'failed',
    error: 'first: A value of the step cannot be stored, such as its output',
  });
  expect(calls).toHaveLength(2);
  expect(await stepsOf(run)).toEqual(['0 failed']);
});

it('a step whose error has characters that Postgres rejects fails with its error', async () => {
  const far = remoteNote(() => {
    throw new ProviderError('It said a\0b', { transient: false });
  });
  const deps = { ...depsOf(api), actions: new Map([['add-note', far]]) };
  const run = await startRun([step('first')]);
  expect(await doFirstSteps(deps, run, () => false)).toMatchObject({ kind: 'failed' });
  expect(await stepsOf(run)).toEqual(['0 failed']);
});

describe('a webhook whose first try ended with its process', () => {
  const UNKNOWN = 'call: The outcome is unknown';
  it.each([
    ['is not sent again, and its run fails with that', { method: 'POST' }, {}, 0],
    ['is sent again if it is a GET', { method: 'GET' }, {}, 1],
    ['is sent again, with the same key, if its step is retry_safe', { method: 'POST' }, { retry_safe: true }, 1],
    ['is passed if the workflow says so', { method: 'POST' }, { on_error: 'continue' }, 0],
  ])('%s', async (_, input, more, calls) => {
    const shop = await startFakeProvider();
    const webhook = { $kind: 'Action', id: 'call', type: 'send-webhook', name: 'Call' };
    const run = await startRun([{ ...webhook, input: { url: shop.url, ...input }, ...more }]);
    await sql`
      insert into automation_steps (org_id, run_id, path, step_id, type, status, attempts)
      values (${run.orgId}, ${run.runId}, '0', 'call', 'send-webhook', 'in_progress', 1)
    `.execute(api.db);
    const next = await doFirstSteps({ ...depsOf(api), actions: ACTIONS }, run, () => false);
    const fails = calls === 0 && !('on_error' in more);
    expect(next).toEqual(fails ? { kind: 'failed', error: expect.stringContaining(UNKNOWN) } : { kind: 'end' });
    expect(shop.calls.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(calls).fill(`${run.runId}/0`));
    await shop.close();
  });
});
