import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Action, remoteAction } from '../../../src/automations/actions/action.ts';
import { ACTIONS } from '../../../src/automations/actions/registry.ts';
import type { Json } from '../../../src/automations/blocks/schema.ts';
import { wakeRun } from '../../../src/automations/runs/run-queue.service.ts';
import { startRuns } from '../../../src/automations/runs/start-runs.service.ts';
import { checkWait, doStep, failStep } from '../../../src/automations/runs/steps.service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { enqueue } from '../../../src/outbox/outbox.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { activate } from '../../support/triggers.ts';
import { depsOf } from '../action-runner.ts';

/** No worker runs here: the tests call its step functions. */
let api: TestApi;
let org: TestOrg;
let session: string;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
  session = (await org.post('/chat/sessions', {})).body.id;
});

const depsWith = (actions: ReadonlyMap<string, Action> = ACTIONS) => ({
  ...depsOf(api),
  actions,
});
const note = (id: string, session_id = session) => ({
  $kind: 'Action',
  id,
  type: 'add-note',
  name: 'Note',
  input: { session_id, text: id },
});
const listen = (constraint: Json) => ({
  $kind: 'Block',
  type: 'wait-for-event',
  id: 'heard',
  inputs: { trigger_type: 'ticket-tag-added', constraint, timeout_minutes: 60 },
});
const manual = (workflow_blocks: object[]) => activate(org, { trigger_type: 'manual-trigger', workflow_blocks });
const trigger = async (id: string, input: object = {}): Promise<string> =>
  (await org.post(`/workflows/${id}/trigger`, { input })).body.run_id;
const runOf = async (id: string, runId: string) => (await org.get(`/workflows/${id}/runs/${runId}`)).body;
const addTag = (tag: string) =>
  inTransaction(api.db, (trx) =>
    startRuns(trx, org.id, 'ticket-tag-added', {
      triggerEvents: [{ key: newId(), occurredAt: new Date(), depth: 0, output: { tag } }],
      cause: 'automatic',
    }),
  );

it('a step run by two workers at once has its effect once', async () => {
  const { id } = await manual([note('one'), note('two')]);
  const at = { orgId: org.id, runId: await trigger(id), place: '0' };
  const [first, second] = await Promise.all([0, 0].map(() => doStep(depsWith(), at)));
  expect([first, second]).toEqual([second, expect.objectContaining({ kind: 'action', place: '1' })]);
  expect((await org.get(`/chat/sessions/${session}/history`)).body.items).toHaveLength(1);
});

it('the output of an external call is stored even if the run was canceled during the call', async () => {
  const { id } = await manual([note('far')]);
  const runId = await trigger(id);
  const { input, output } = ACTIONS.get('add-note') as Action;
  const far = remoteAction({
    type: 'add-note',
    title: '',
    description: '',
    input,
    output,
    async call() {
      await org.post(`/workflows/${id}/runs/${runId}/cancel`);
      return { message_id: 'm' };
    },
  });
  const next = await doStep(depsWith(new Map([['add-note', far]])), { orgId: org.id, runId, place: '0' });
  expect(next).toEqual({ kind: 'end' });
  expect(await runOf(id, runId)).toMatchObject({
    status: 'canceled',
    steps: [{ status: 'completed', output: { message_id: 'm' } }],
  });
});

it('a retried run receives new events, and keeps the events received before its failure', async () => {
  const { id } = await manual([note('gone', newId()), listen(null), { ...listen(null), id: 'again' }]);
  const runId = await trigger(id);
  const at = { orgId: org.id, runId };
  await addTag('before');
  await expect(doStep(depsWith(), { ...at, place: '0' })).rejects.toThrow('not found');
  await failStep(depsWith(), { ...at, place: '0', error: 'no' });
  expect((await org.post(`/workflows/${id}/runs/${runId}/retry`, { skip: true })).status).toBe(200);
  expect(await checkWait(depsWith(), { ...at, place: '1' })).toMatchObject({ kind: 'wait-for-event', place: '2' });
  await addTag('after');
  expect(await checkWait(depsWith(), { ...at, place: '2' })).toEqual({ kind: 'end' });
  const { steps } = await runOf(id, runId);
  expect(steps.slice(1).map(({ output }: { output: { event: { tag: string } } }) => output.event.tag)).toEqual([
    'before',
    'after',
  ]);
});

it('a reference in a constraint resolves to data, even if it looks like an operator', async () => {
  const { id } = await manual([listen({ '==': [{ var: 'tag' }, '{{trigger.output.input.tag}}'] })]);
  const runs = [await trigger(id, { tag: { var: 'tag' } }), await trigger(id, { tag: 'vip' })];
  await addTag('vip');
  const next = await Promise.all(runs.map((runId) => checkWait(depsWith(), { orgId: org.id, runId, place: '0' })));
  expect(next).toEqual([expect.objectContaining({ kind: 'wait-for-event' }), { kind: 'end' }]);
});

it('a step with too large references fails, and can be retried', async () => {
  const big = { ...note('big'), input: { session_id: session, text: '{{trigger.output.input.text}}'.repeat(100) } };
  const { id } = await manual([big]);
  const runId = await trigger(id, { text: 'x'.repeat(100_000) });
  const at = { orgId: org.id, runId, place: '0' };
  await expect(doStep(depsWith(), at)).rejects.toMatchObject({ kind: 'invalid' });
  await failStep(depsWith(), { ...at, error: 'too much' });
  expect(await runOf(id, runId)).toMatchObject({ status: 'failed', steps: [{ id: 'big', status: 'failed' }] });
  expect((await org.post(`/workflows/${id}/runs/${runId}/retry`, { skip: true })).status).toBe(200);
});

it('deleting a workflow lets queued runs of other workflows start', async () => {
  const [busy, idle] = [await manual([note('a')]), await manual([note('b')])];
  for (let n = 0; n < 40; n++) await trigger(busy.id);
  const runId = await trigger(idle.id);
  expect(await runOf(idle.id, runId)).toMatchObject({ status: 'idle' });
  expect((await org.delete(`/workflows/${busy.id}`)).status).toBe(200);
  expect(await runOf(idle.id, runId)).toMatchObject({ status: 'in_progress' });
});

it('ten thousand runs can be woken in one transaction', async () => {
  const ids = Array.from({ length: 10_000 }, newId);
  await inTransaction(api.db, (trx) => enqueue(trx, org.id, ...ids.map((runId) => wakeRun(org.id, runId))));
  const { count } = await api.db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('org_id', '=', org.id)
    .where('type', '=', 'runAutomation')
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(10_000);
});
