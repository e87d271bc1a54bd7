import { sql } from 'kysely';
import { type Action, remoteAction } from '../../../src/automations/actions/action.ts';
import { ACTIONS } from '../../../src/automations/actions/registry.ts';
import type { Json } from '../../../src/automations/blocks/schema.ts';
import { redactRunTexts } from '../../../src/automations/runs/redaction.queries.ts';
import { wakeRun } from '../../../src/automations/runs/run-queue.service.ts';
import { startRuns } from '../../../src/automations/runs/start-runs.service.ts';
import { checkWait, doStep, failStep } from '../../../src/automations/runs/steps.service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { conflict } from '../../../src/errors.ts';
import { newId } from '../../../src/ids.ts';
import { enqueue } from '../../../src/outbox/outbox.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { activate } from '../../support/triggers.ts';
import { depsOf, remoteNote } from '../action-runner.ts';

/** No worker runs here: the tests call its step functions. */
let api: TestApi;
let org: TestOrg;
let session: string;
beforeAll(async () => {
  api = await startApi({ env: { FAST_PATHS: 'off' } }); // no worker runs here: runs begin with the transaction
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
  const at = { orgId: org.id, runId: await trigger(id), path: '0' };
  const [first, second] = await Promise.all([0, 0].map(() => doStep(depsWith(), at)));
  expect([first, second]).toEqual([second, expect.objectContaining({ kind: 'action', path: '1' })]);
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
  const next = await doStep(depsWith(new Map([['add-note', far]])), { orgId: org.id, runId, path: '0' });
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
  await expect(doStep(depsWith(), { ...at, path: '0' })).rejects.toThrow('not found');
  await failStep(depsWith(), { ...at, path: '0', error: 'no' });
  expect((await org.post(`/workflows/${id}/runs/${runId}/retry`, { skip: true })).status).toBe(200);
  expect(await checkWait(depsWith(), { ...at, path: '1' })).toMatchObject({ kind: 'wait-for-event', path: '2' });
  await addTag('after');
  expect(await checkWait(depsWith(), { ...at, path: '2' })).toEqual({ kind: 'end' });
  const { steps } = await runOf(id, runId);
  expect(steps.slice(1).map(({ output }: { output: { event: { tag: string } } }) => output.event.tag)).toEqual([
    'before',
    'after',
  ]);
});

/** Runs the checks of a wait as a workflow does, until there is a reason to wait or to go on. Returns their number too. */
async function checkAll(runId: string, path: string) {
  for (let checks = 1; ; checks++) {
    const next = await checkWait(depsWith(), { orgId: org.id, runId, path });
    if (next.kind !== 'wait-for-event' || next.path !== path || next.ms > 0) return { next, checks };
  }
}
const addTags = (tags: string[]) =>
  inTransaction(api.db, async (trx) => {
    const triggerEvents = tags.map((tag) => ({ key: newId(), occurredAt: new Date(), depth: 0, output: { tag } }));
    await startRuns(trx, org.id, 'ticket-tag-added', { triggerEvents, cause: 'automatic' });
  });
const isTag = (tag: string): Json => ({ '==': [{ var: 'tag' }, tag] });
const eventsIn = ({ steps }: { steps: { output: { event: { tag: string } } | null }[] }) =>
  steps.map(({ output }) => output?.event?.tag);

it('a wait evaluates each event once, also those that an earlier wait left', async () => {
  const { id } = await manual([listen(isTag('a')), { ...listen(isTag('b')), id: 'again' }]);
  const runId = await trigger(id);
  await addTags(['x', 'b']);
  expect((await checkAll(runId, '0')).next).toMatchObject({ kind: 'wait-for-event', path: '0' });
  await sql`update automation_events set output = output || '{"tag":"a"}' where org_id = ${org.id} and output ->> 'tag' = 'x'`.execute(
    api.db,
  );
  expect((await checkAll(runId, '0')).next).toMatchObject({ kind: 'wait-for-event', path: '0' }); // it was evaluated before
  await addTags(['a', 'b']);
  expect((await checkAll(runId, '0')).next).toMatchObject({ kind: 'wait-for-event', path: '1', ms: 0 });
  expect((await checkAll(runId, '1')).next).toEqual({ kind: 'end' });
  expect(eventsIn(await runOf(id, runId))).toEqual(['a', 'b']);
});

it('a wait takes the oldest event that matches, whatever earlier waits have left and whenever it looks', async () => {
  const wanted = ['a', 'b', 'a', 'c'];
  const { id } = await manual(wanted.map((tag, n) => ({ ...listen(isTag(tag)), id: `wait-${n}` })));
  for (const received of [
    [['c'], ['a', 'b'], [], ['a']],
    [['b', 'c', 'a'], [], ['b', 'b'], ['c', 'a']],
    [['c', 'a', 'b', 'a']],
  ]) {
    const runId = await trigger(id);
    let path = '0';
    for (const tags of received) {
      await addTags(tags);
      for (let next = (await checkAll(runId, path)).next; next.kind === 'wait-for-event' && next.path !== path; ) {
        path = next.path;
        next = (await checkAll(runId, path)).next;
      }
    }
    const run = await runOf(id, runId);
    expect([run.status, eventsIn(run)]).toEqual(['completed', wanted]);
  }
});

it('a wait with very many events evaluates some at each check, and ends with the one that matches', async () => {
  const { id } = await manual([listen(isTag('last'))]);
  const runId = await trigger(id);
  await addTags(Array.from({ length: 2_500 }, () => 'other'));
  await addTags(['last', 'other']);
  expect(await checkAll(runId, '0')).toEqual({ next: { kind: 'end' }, checks: 3 });
  expect(eventsIn(await runOf(id, runId))).toEqual(['last']);
});

it('a reference in a constraint resolves to data, even if it looks like an operator', async () => {
  const { id } = await manual([listen({ '==': [{ var: 'tag' }, '{{trigger.output.input.tag}}'] })]);
  const runs = [await trigger(id, { tag: { var: 'tag' } }), await trigger(id, { tag: 'vip' })];
  await addTag('vip');
  const next = await Promise.all(runs.map((runId) => checkWait(depsWith(), { orgId: org.id, runId, path: '0' })));
  expect(next).toEqual([expect.objectContaining({ kind: 'wait-for-event' }), { kind: 'end' }]);
});

it('a step with too large references fails, and can be retried', async () => {
  const big = { ...note('big'), input: { session_id: session, text: '{{trigger.output.input.text}}'.repeat(100) } };
  const { id } = await manual([big]);
  const runId = await trigger(id, { text: 'x'.repeat(100_000) });
  const at = { orgId: org.id, runId, path: '0' };
  await expect(doStep(depsWith(), at)).rejects.toMatchObject({ kind: 'invalid' });
  await failStep(depsWith(), { ...at, error: 'too much' });
  expect(await runOf(id, runId)).toMatchObject({ status: 'failed', steps: [{ id: 'big', status: 'failed' }] });
  expect((await org.post(`/workflows/${id}/runs/${runId}/retry`, { skip: true })).status).toBe(200);
});

it('a step refused before its first attempt fails visibly, and is the one that is retried', async () => {
  const { id } = await manual([{ ...note('may', newId()), on_error: 'continue' }, note('must'), note('last')]);
  const runId = await trigger(id);
  const at = { orgId: org.id, runId };
  await failStep(depsWith(), { ...at, path: '0', error: 'no such session' });
  await failStep(depsWith(), { ...at, path: '1', error: 'the quota of the day is used' });
  const steps = async () =>
    (await runOf(id, runId)).steps.map((step: { id: string; status: string }) => [step.id, step.status]);
  expect(await steps()).toEqual([
    ['may', 'failed'],
    ['must', 'failed'],
  ]);
  expect((await org.post(`/workflows/${id}/runs/${runId}/retry`, {})).status).toBe(200);
  expect(await steps()).toEqual([
    ['may', 'failed'],
    ['must', 'in_progress'],
  ]);
  expect(await doStep(depsWith(), { ...at, path: '1' })).toMatchObject({ kind: 'action', path: '2' });
});

it('an input given for a retry is not sent once it is redacted, and is asked for again', async () => {
  const { id } = await manual([note('note')]);
  const runId = await trigger(id);
  const at = { orgId: org.id, runId, path: '0' };
  const fail = async (deps: ReturnType<typeof depsWith>, reason: string) => {
    await expect(doStep(deps, at)).rejects.toThrow(reason);
    await failStep(deps, { ...at, error: reason });
  };
  const retry = (body: object) => org.post(`/workflows/${id}/runs/${runId}/retry`, body);
  const input = { session_id: session, text: 'My number is 4711' };
  const refusing = remoteNote(() => {
    throw conflict('not now');
  });

  await fail(depsWith(new Map([['add-note', refusing]])), 'not now');
  expect((await retry({ input })).status).toBe(200);
  await inTransaction(api.db, (trx) => redactRunTexts(trx, org.id, session));
  await fail(depsWith(), 'was redacted: retry with an input again');
  expect(await retry({})).toMatchObject({ status: 400, body: { issues: [{ path: 'body.input' }] } });
  expect((await retry({ input: { ...input, text: 'My number' } })).status).toBe(200);
  expect(await doStep(depsWith(), at)).toEqual({ kind: 'end' });
  const { items } = (await org.get(`/chat/sessions/${session}/history`)).body;
  expect(items).toMatchObject([{ event: { content: { text: 'My number' } } }]);
});

it('a wait for a trigger by hand ends with the next one, not with the one that started its run', async () => {
  const press = { ...listen(null), inputs: { trigger_type: 'manual-trigger', timeout_minutes: 60 } };
  const { id } = await manual([press]);
  const runId = await trigger(id);
  const check = () => checkWait(depsWith(), { orgId: org.id, runId, path: '0' });
  expect(await check()).toMatchObject({ kind: 'wait-for-event' });
  await trigger((await manual([])).id, { pressed: 'another' });
  expect(await check()).toEqual({ kind: 'end' });
  const { steps } = await runOf(id, runId);
  expect(steps[0].output.event).toMatchObject({ input: { pressed: 'another' }, trigger_type: 'manual-trigger' });
});

it('a wait for a webhook ends with a request to another workflow under the key that started its run', async () => {
  const heard = { ...listen(null), inputs: { trigger_type: 'webhook', timeout_minutes: 60 } };
  const post = async (workflow_blocks: object[]) => {
    const { url } = await activate(org, { trigger_type: 'webhook', workflow_blocks });
    const send = () => api.client().post(new URL(url).pathname, {}, { headers: { 'idempotency-key': 'order-17' } });
    const first = await send();
    expect((await send()).body).toEqual(first.body);
    return first.body.run_id;
  };
  const at = { orgId: org.id, runId: await post([heard]), path: '0' };
  expect(await checkWait(depsWith(), at)).toMatchObject({ kind: 'wait-for-event' });
  await post([]);
  expect(await checkWait(depsWith(), at)).toEqual({ kind: 'end' });
});

it('deleting a workflow lets queued runs of other workflows start', async () => {
  const [busy, idle] = [await manual([note('a')]), await manual([note('b')])];
  for (let n = 0; n < 100; n++) await trigger(busy.id);
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
