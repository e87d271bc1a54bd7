import { sql } from 'kysely';
import type { Action } from '../../../src/automations/actions/action.ts';
import { ACTIONS } from '../../../src/automations/actions/registry.ts';
import { runBatch } from '../../../src/automations/runs/batches/service.ts';
import { startInWorkflows } from '../../../src/automations/runs/run-queue.service.ts';
import { startRuns } from '../../../src/automations/runs/start-runs.service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { activate } from '../../support/triggers.ts';
import { depsOf, noteStep, remoteNote } from '../action-runner.ts';

const RUNS = 120;

/** No worker runs here: the tests call the activity's service. */
let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
});

const step = (id: string, text: string) => noteStep(id, { input: { session_id: newId(), text } });

/** A call of another system that notes for which step it was made. */
const farAction = (answer: object, calls: string[]): Action =>
  remoteNote((dedupeKey) => {
    calls.push(dedupeKey);
    return answer;
  });

/** Starts a backlog of a workflow, and returns its batch. */
async function startBacklog(workflow_blocks: object[]): Promise<{ orgId: string; batchId: string }> {
  const { id } = await activate(org, { trigger_type: 'webhook', workflow_blocks });
  const triggerEvents = Array.from({ length: RUNS }, () => ({
    key: newId(),
    occurredAt: new Date(),
    depth: 0,
    output: {},
  }));
  await inTransaction(api.db, async (trx) => {
    await startRuns(trx, org.id, 'webhook', { triggerEvents, cause: 'automatic', only: id });
    await startInWorkflows(trx, org.id);
  });
  const { rows } = await sql<{ batch_id: string }>`
    select distinct batch_id from automation_runs where automation_id = ${id}
  `.execute(api.db);
  return { orgId: org.id, batchId: rows[0]?.batch_id ?? '' };
}

it('makes no call again whose answer the next step cannot take', async () => {
  const calls: string[] = [];
  const far = farAction({ message_id: 'x'.repeat(100_000) }, calls);
  const deps = { ...depsOf(api), actions: new Map([['add-note', far]]) };
  const ref = await startBacklog([step('first', 'Hello'), step('second', '{{first.output.message_id}}'.repeat(100))]);
  await runBatch(deps, ref, () => false);
  await runBatch(deps, ref, () => false); // as after a kill
  expect(calls).toHaveLength(new Set(calls).size);
  const { rows } = await sql<{ status: string }>`
    select distinct step.status from automation_steps as step join automation_runs as run on run.org_id = step.org_id and run.id = step.run_id
    where run.batch_id = ${ref.batchId} and step.step_id = 'first'
  `.execute(api.db);
  expect(rows).toEqual([{ status: 'completed' }]);
});

it.each([
  ['fails', {}, 'failed', 'failed'],
  ['is passed where the workflow says so', { on_error: 'continue' }, 'completed', 'failed'],
])('a step whose output cannot be stored %s, and its call is not made again', async (_, more, status, ofStep) => {
  const calls: string[] = [];
  const deps = { ...depsOf(api), actions: new Map([['add-note', farAction({ message_id: 'a\0b' }, calls)]]) };
  const ref = await startBacklog([{ ...step('first', 'Hello'), ...more }]);
  await runBatch(deps, ref, () => false);
  expect(calls).toHaveLength(new Set(calls).size);
  const { rows } = await sql<object>`
    select distinct run.status, step.status as of_step, step.error from automation_steps as step
    join automation_runs as run on run.org_id = step.org_id and run.id = step.run_id
    where run.batch_id = ${ref.batchId}
  `.execute(api.db);
  expect(rows).toEqual([{ status, of_step: ofStep, error: expect.stringContaining('cannot be stored') }]);
});

/** Runs in a batch whose evaluated blocks were stored when the process ended, before any action behind them. */
async function restAfter(workflow_blocks: object[], steps: { path: string; type: string; output: object }[]) {
  const ref = await startBacklog(workflow_blocks);
  await sql`
    insert into automation_steps (org_id, run_id, path, step_id, type, status, output, attempts)
    select run.org_id, run.id, path, path, type, 'completed', output, 1
    from automation_runs as run, jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) as given (path text, type text, output jsonb)
    where run.batch_id = ${ref.batchId} and run.org_id = ${ref.orgId}
  `.execute(api.db);
  await runBatch({ ...depsOf(api), actions: ACTIONS }, ref, () => false);
  const { rows } = await sql<{ next: object }>`
    select distinct resumed_at as next from automation_runs where batch_id = ${ref.batchId} and status = 'in_progress'
  `.execute(api.db);
  return rows.map(({ next }) => next);
}

const block = (type: string, inputs: object, branches: object) => ({
  $kind: 'Block',
  type,
  id: `${type}-1`,
  inputs,
  branches,
});
const yes = { condition: { operatorName: 'equals', left: 1, right: 1 } };

it('a run goes on inside of the branch that was chosen before the process ended', async () => {
  const blocks = [
    block('if-else', yes, Object.fromEntries([['then', [step('inside', 'Hello')]]])),
    step('behind', 'Hello'),
  ];
  const next = await restAfter(blocks, [{ path: '0', type: 'if-else', output: { result: true } }]);
  expect(next).toEqual([expect.objectContaining({ kind: 'action', path: '0.then.0' })]);
});

it('a run goes on inside of the loop that was begun before the process ended', async () => {
  const blocks = [block('for-each', { items: [1, 2] }, { do: [step('inside', 'Hello')] }), step('behind', 'Hello')];
  const next = await restAfter(blocks, [{ path: '0', type: 'for-each', output: { items: [1, 2], count: 2 } }]);
  expect(next).toEqual([expect.objectContaining({ kind: 'action', path: '0.do.0.0' })]);
});

it('a run goes on behind the last of its actions, also if it has more than ten', async () => {
  const steps = Array.from({ length: 12 }, (_, nth) => step(`nth-${nth}`, 'Hello'));
  const ended = steps.slice(0, 11).map((_, nth) => ({ path: String(nth), type: 'add-note', output: {} }));
  const next = await restAfter(steps, ended);
  expect(next).toEqual([expect.objectContaining({ kind: 'action', path: '11' })]);
});

it('two attempts at once make each call once', async () => {
  const calls: string[] = [];
  const deps = { ...depsOf(api), actions: new Map([['add-note', farAction({ message_id: 'm' }, calls)]]) };
  const ref = await startBacklog([step('first', 'Hello'), step('second', 'Hello again')]);
  await Promise.all([runBatch(deps, ref, () => false), runBatch(deps, ref, () => false)]);
  expect(calls).toHaveLength(new Set(calls).size);
});
