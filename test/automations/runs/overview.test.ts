import { repair } from '../../../src/repair/repair.ts';
import { type SignedIn, signIn } from '../../sign-in/signing-in.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import { openEventStream } from '../../support/stack/event-stream.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const TEMPORAL_UI = 'https://temporal.example';

let stack: Stack;
let sink: FakeProvider;
let admin: SignedIn;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8', TEMPORAL_UI_URL: TEMPORAL_UI } });
  sink = await startFakeProvider();
  admin = await signIn(stack, 'admin');
});
afterAll(async () => {
  await sink.close();
  await stack.close();
});

interface Row {
  id: string;
  status: string;
}
const note = (id: string, session_id: string, more: object = {}) => ({
  $kind: 'Action',
  id,
  type: 'add-note',
  name: `Note ${id}`,
  input: { session_id, text: 'Hello' },
  ...more,
});
const wait = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } };
const awaited = {
  $kind: 'Block',
  type: 'wait-for-event',
  id: 'answer',
  inputs: { trigger_type: 'contact-created', timeout_minutes: 60 },
};

async function active(name: string, workflow_blocks: object[], trigger_type = 'manual-trigger'): Promise<string> {
  const { body } = await stack.org.post('/workflows', { name, trigger_type, workflow_blocks });
  expect((await stack.org.post(`/workflows/${body.workflow_id}/activate`, {})).status).toBe(200);
  return body.workflow_id;
}
const trigger = async (id: string, input: object = {}): Promise<string> =>
  (await stack.org.post(`/workflows/${id}/trigger`, { input })).body.run_id;
const runOf = async (id: string) => (await stack.org.get(`/runs/${id}`)).body;
const until = (id: string, ...states: string[]) =>
  eventually(`a run that is ${states.join(' or ')}`, async () => {
    const run = await runOf(id);
    return states.includes(run.status) && run;
  });
const list = async (query: string): Promise<(Row & Record<string, unknown>)[]> =>
  (await stack.org.get(`/runs?${query}`)).body.items;
const idsOf = async (query: string) => (await list(query)).map(({ id }) => id);
const newSession = async (more: object = {}) => (await stack.org.post('/chat/sessions', more)).body.id as string;
const bulk = (body: object) => admin.post('/runs/bulk', body);
const untilDone = (id: string) =>
  eventually('the end of the job', async () => {
    const { body } = await admin.get(`/jobs/${id}`);
    return body.state === 'done' && body;
  });

describe('runs over all workflows', () => {
  it('are listed with the step that each is at and what it waits for, apart from those of other orgs', async () => {
    sink.next({ status: 503, headers: { 'retry-after': '90' } });
    const call = {
      $kind: 'Action',
      id: 'call',
      type: 'send-webhook',
      name: 'Call',
      input: { url: `${sink.url}/down` },
    };
    const workflows = {
      timer: await active('Waits for a time', [wait]),
      event: await active('Waits for an event', [awaited]),
      retry: await active('Calls a shop', [call]),
      person: await active('Notes in a lost session', [note('lost', NOWHERE)]),
    };
    const foreign = await stack.other.post('/workflows', {
      name: 'Calls a shop',
      trigger_type: 'manual-trigger',
      workflow_blocks: [wait],
    });
    await stack.other.post(`/workflows/${foreign.body.workflow_id}/activate`, {});
    const { body: theirs } = await stack.other.post(`/workflows/${foreign.body.workflow_id}/trigger`, {});
    const runs: Record<string, string> = {};
    for (const [reason, id] of Object.entries(workflows)) {
      const runId = await trigger(id);
      runs[reason] = runId;
      await eventually(`a run that waits for ${reason}`, async () => (await runOf(runId)).waiting_for === reason);
      expect(await idsOf(`waiting_for=${reason}`)).toEqual([runId]);
    }
    const rows = new Map((await list('')).map((row) => [row.id, row]));
    expect([...rows.keys()]).toEqual(Object.values(runs).toReversed());
    expect(rows.get(runs.retry ?? '')).toMatchObject({
      workflow_name: 'Calls a shop',
      workflow_id: workflows.retry,
      status: 'in_progress',
      step: { id: 'call', name: 'Call', state: 'in_progress', attempts: 1, last_error: expect.stringContaining('503') },
    });
    const { next_try_at } = (await runOf(runs.retry ?? '')).steps[0];
    expect(Date.parse(next_try_at) - Date.now()).toBeGreaterThan(60_000);
    expect(Date.parse(next_try_at) - Date.now()).toBeLessThan(91_000);
    expect(rows.get(runs.timer ?? '')?.step).toMatchObject({
      id: 'pause',
      state: 'waiting',
      until: expect.any(String),
    });
    expect(rows.get(runs.person ?? '')?.step).toMatchObject({ state: 'failed', last_error: 'Session not found' });

    expect(await idsOf('q=SHOP')).toEqual([runs.retry]);
    expect(await idsOf(`q=${runs.event}`)).toEqual([runs.event]);
    expect(await idsOf(`workflow_id=${workflows.timer}`)).toEqual([runs.timer]);
    expect(await idsOf('status=failed')).toEqual([runs.person]);
    expect(await idsOf('to=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await idsOf(`workflow_id=${foreign.body.workflow_id}`)).toEqual([]);
    expect((await stack.other.get('/runs')).body.items.map(({ id }: Row) => id)).toEqual([theirs.run_id]);
    expect((await stack.other.get(`/runs/${runs.retry}`)).status).toBe(404);
    expect((await stack.other.get(`/runs/${runs.retry}/events`)).status).toBe(404);

    const first = (await stack.org.get('/runs?limit=3')).body;
    const second = (await stack.org.get(`/runs?limit=3&cursor=${first.next}`)).body;
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(Object.values(runs).toReversed());
    expect(second.next).toBeNull();
    expect((await stack.org.get('/runs?cursor=x')).status).toBe(400);

    // A run that failed outside of its steps: nobody can retry one.
    const steps = stack.db.updateTable('automation_steps').where('run_id', '=', runs.person ?? '');
    await steps.set({ status: 'in_progress', ended_at: null }).execute();
    expect((await list('')).find(({ id }) => id === runs.person)?.waiting_for).toBeNull();
    expect((await runOf(runs.person ?? '')).waiting_for).toBeNull();
    await steps.set({ status: 'failed', ended_at: new Date() }).execute();

    await bulk({ ids: [runs.retry, runs.timer, runs.event], action: { type: 'cancel' } });
    expect(await idsOf('waiting_for=retry')).toEqual([]);
    expect((await runOf(runs.retry ?? '')).steps[0].next_try_at).toBeNull();
  });

  it('are found by the session and the contact that triggered them', async () => {
    const id = await active('Of a ticket', [], 'ticket-created');
    const { body: contact } = await stack.org.post('/contacts', { contact: { email: 'zoe@customer.example' } });
    const session = await newSession({ contact_id: contact.id });
    await newSession();
    await eventually('both runs', async () => (await idsOf(`workflow_id=${id}`)).length === 2);
    const [row] = await list(`session_id=${session}`);
    expect(row).toMatchObject({
      session_id: session,
      contact_id: contact.id,
      trigger_type: 'ticket-created',
      step: null,
    });
    expect(await idsOf(`contact_id=${contact.id}`)).toEqual([row?.id]);
    expect((await stack.other.get(`/runs?contact_id=${contact.id}`)).body.items).toEqual([]);
  });

  it('are counted by their status over time', async () => {
    const id = await active('Counted', [note('lost', NOWHERE)]);
    for (let n = 0; n < 2; n++) await until(await trigger(id), 'failed');
    const { body } = await stack.org.get(`/runs/stats?workflow_id=${id}&buckets=4&by_workflow=true`);
    const none = { idle: 0, in_progress: 0, completed: 0, canceled: 0 };
    expect(body.total).toEqual({ ...none, failed: 2 });
    expect(body.buckets.map(({ failed }: { failed: number }) => failed)).toEqual([0, 0, 0, 2]);
    expect(body.workflows).toEqual([{ workflow_id: id, last_run_at: expect.any(String), ...none, failed: 2 }]);
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(86_400_000);
    const all = (await stack.org.get('/runs/stats')).body;
    expect(all.buckets).toHaveLength(60);
    expect(all.total.failed).toBeGreaterThan(2);
    expect((await stack.other.get(`/runs/stats?workflow_id=${id}`)).body.total.failed).toBe(0);
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    expect((await stack.org.get(`/runs/stats?workflow_id=${id}&from=${hourAgo}`)).body.total.failed).toBe(2);
    expect((await stack.org.get(`/runs/stats?workflow_id=${id}&to=${hourAgo}`)).body.total.failed).toBe(0);
    const [early, late] = ['2026-01-01T00:00:00Z', '2027-02-01T00:00:00Z'];
    for (const range of [`from=${late}&to=${early}`, `from=${early}&to=${late}`])
      expect((await stack.org.get(`/runs/stats?${range}`)).body.message).toContain('by at most 366 days');
  });
});

describe('a run', () => {
  it('says why it took a branch, and why it did not come to a step', async () => {
    const session = await newSession();
    const id = await active('Branches', [
      {
        $kind: 'Block',
        type: 'if-else',
        id: 'big',
        inputs: { condition: { operatorName: 'greater_than', left: '{{trigger.output.input.total}}', right: 100 } },
        // biome-ignore lint/suspicious/noThenProperty: the definitions' own word
        branches: { then: [note('vip', session)], else: [note('small', session)] },
      },
      {
        $kind: 'Block',
        type: 'switch',
        id: 'way',
        inputs: { value: '{{trigger.output.input.way}}' },
        branches: { cases: [{ equals: 'sea', steps: [note('sea', session)] }], default: [note('air', NOWHERE)] },
      },
      note('last', session, { retry: { attempts: 5 } }),
    ]);
    const runId = await trigger(id, { total: 40, way: 'road' });
    const { steps, not_run } = await until(runId, 'failed');
    const step = (name: string) => steps.find((one: Row) => one.id === name);
    expect(step('big').branch_reason).toEqual({ branch: 'else', operator: 'greater_than', left: 40, right: 100 });
    expect(step('way').branch_reason).toEqual({ branch: 'default', operator: 'equals', left: 'road', right: null });
    expect([step('big').max_attempts, step('small').max_attempts, step('small').branch_reason]).toEqual([
      null,
      3,
      null,
    ]);
    expect(not_run).toEqual([
      { id: 'vip', type: 'add-note', name: 'Note vip', because: 'big took another branch' },
      { id: 'sea', type: 'add-note', name: 'Note sea', because: 'way took another branch' },
      { id: 'last', type: 'add-note', name: 'Note last', because: 'The run failed before it' },
    ]);

    await stack.org.post(`/workflows/${id}/runs/${runId}/retry`, { skip: true, reason: 'Told by phone' });
    const skipped = await until(runId, 'completed');
    expect(skipped.steps.find((one: Row) => one.id === 'air')).toMatchObject({
      status: 'skipped',
      skipped_because: 'Told by phone',
    });
    expect(skipped.steps.at(-1)).toMatchObject({ id: 'last', max_attempts: 5, status: 'completed' });
    expect(skipped.not_run.map((one: Row) => one.id)).toEqual(['vip', 'sea']);
  });

  it('retries a failed step with another input, which has to be one of its action', async () => {
    const id = await active('Mended', [note('lost', NOWHERE)]);
    const runId = await trigger(id);
    await until(runId, 'failed');
    const retry = (input: object) => stack.org.post(`/workflows/${id}/runs/${runId}/retry`, { input });
    const wrong = await retry({ session_id: NOWHERE, txt: 'Hello' });
    expect([wrong.status, wrong.body.issues]).toEqual([
      400,
      expect.arrayContaining([expect.objectContaining({ path: 'body.input.text' })]),
    ]);
    expect((await runOf(runId)).status).toBe('failed');
    expect((await retry({ session_id: await newSession(), text: 'Found' })).status).toBe(200);
    const { steps, retries } = await until(runId, 'completed');
    expect([steps[0].input.text, steps[0].attempts, retries[0].input_changed]).toEqual(['Found', 2, true]);
  });

  it('runs again on the same or the active version, with what its trigger told or other fields of it', async () => {
    const session = await newSession();
    const id = await active('Versions', [note('first', session)]);
    const runId = await trigger(id, { order: 1 });
    await until(runId, 'completed');
    await stack.org.patch(`/workflows/${id}`, { workflow_blocks: [note('second', session)] });
    await stack.org.post(`/workflows/${id}/activate`, {});
    const rerun = async (body?: object) => {
      const { status, body: made } = await stack.org.post(`/workflows/${id}/runs/${runId}/rerun`, body);
      expect(status).toBe(201);
      const { version_number, steps, trigger_output } = await until(made.run_id, 'completed');
      return [version_number, steps[0].id, trigger_output.input];
    };
    expect(await rerun({ version: 'same' })).toEqual([1, 'first', { order: 1 }]);
    expect(await rerun({ version: 'latest' })).toEqual([2, 'second', { order: 1 }]);
    expect(await rerun()).toEqual([2, 'second', { order: 1 }]);
    expect(await rerun({ version: 'same', input: { input: { order: 2 }, trigger_type: 'webhook' } })).toEqual([
      1,
      'first',
      { order: 2 },
    ]);
    const { trigger_type } = (await runOf((await idsOf(`workflow_id=${id}&limit=1`))[0] ?? '')).trigger_output;
    expect(trigger_type).toBe('manual-trigger');
    expect((await stack.org.post(`/workflows/${id}/runs/${runId}/rerun`, { version: 'next' })).status).toBe(400);
  });

  it('links to the Temporal UI for callers with full access alone', async () => {
    const id = await active('Linked', [wait]);
    const runId = await trigger(id);
    const { ran_in } = await eventually('a wait', async () => {
      const run = await runOf(runId);
      return run.waiting_for === 'timer' && run.ran_in !== null && run;
    });
    expect(ran_in.url).toMatch(
      new RegExp(`^${TEMPORAL_UI}/namespaces/[^/]+/workflows/${encodeURIComponent(`workflow-run/${runId}`)}$`),
    );
    const reader = await stack.org.withScopes('workflows:read');
    expect((await reader.get(`/runs/${runId}`)).body.ran_in).toMatchObject({
      workflow_id: `workflow-run/${runId}`,
      url: null,
    });
  });

  it('is followed by a stream until it ends', async () => {
    const id = await active('Followed', [wait]);
    const runId = await trigger(id);
    const stream = await openEventStream(`${stack.url}/runs/${runId}/events`, { key: stack.org.key });
    await eventually('the wait', async () => stream.events.at(-1)?.data.waiting_for === 'timer');
    await stack.org.post(`/workflows/${id}/runs/${runId}/cancel`, {});
    await eventually('the end of the stream', async () => stream.isEnded());
    expect(stream.events.at(-1)).toMatchObject({
      type: 'progress',
      data: { id: runId, status: 'canceled', steps_begun: 1 },
    });
    const ended = await openEventStream(`${stack.url}/runs/${runId}/events`, { key: stack.org.key });
    await eventually('its only event', async () => ended.isEnded() && ended.events.length === 1);
  });
});

describe('many runs', () => {
  it('are changed by their ids at once, and those that refuse say why', async () => {
    const id = await active('Many', [note('lost', NOWHERE)]);
    const failed = await trigger(id);
    await until(failed, 'failed');
    const { body: foreign } = await stack.other.get('/runs?limit=1');
    const ids = [failed, foreign.items[0].id, failed];
    const { status, body } = await bulk({ ids, action: { type: 'cancel' } });
    expect([status, body.results]).toEqual([
      200,
      [
        { id: failed, error: 'The run is failed already' },
        { id: ids[1], error: 'Run not found' },
        { id: failed, error: 'The run is failed already' },
      ],
    ]);
    expect((await bulk({ ids: [failed], action: { type: 'rerun' } })).body.results).toEqual([{ id: failed }]);
    expect(await idsOf(`workflow_id=${id}`)).toHaveLength(2);
    for (const wrong of [{ ids, query: {} }, {}, { ids: [] }, { ids, action: { type: 'pause' } }])
      expect((await bulk({ action: { type: 'cancel' }, ...wrong })).status).toBe(400);
    const reader = await stack.org.withScopes('workflows:read');
    expect((await reader.post('/runs/bulk', { ids, action: { type: 'cancel' } })).status).toBe(403);
  });

  it('are retried by a job over a query, each once, also after its workflow was lost', async () => {
    const id = await active('Retried', [note('lost', NOWHERE)]);
    const others = await active('Left alone', [note('lost', NOWHERE)]);
    const runs = await Promise.all(Array.from({ length: 12 }, () => trigger(id)));
    const other = await trigger(others);
    for (const run of [...runs, other]) await until(run, 'failed');
    const query = { workflow_id: id, status: 'failed' };
    const { status, body } = await bulk({ query, action: { type: 'retry', reason: 'All of them' } });
    expect([status, body]).toEqual([202, { job_id: expect.any(String), total: 12 }]);
    const handle = stack.temporal.workflow.getHandle(`run-job/${body.job_id}`);
    await eventually('the workflow', () => handle.describe().catch(() => undefined));
    await handle.terminate('a test').catch(() => undefined);
    await eventually('a mended job', async () => {
      await repair(stack.db, stack.temporal, { isDryRun: false });
      return (await admin.get(`/jobs/${body.job_id}`)).body.state === 'done';
    });
    expect(await untilDone(body.job_id)).toMatchObject({ total: 12, done: 12, failed: 0, errors: [] });
    const retries = await stack.db
      .selectFrom('automation_retries')
      .select(['run_id', 'reason'])
      .where('org_id', '=', stack.org.id)
      .where('reason', '=', 'All of them')
      .execute();
    expect(retries.map(({ run_id }) => run_id).sort()).toEqual(runs.toSorted());
    const { body: news } = await admin.get('/me/notifications?unread=true');
    expect(news.items).toContainEqual(
      expect.objectContaining({ kind: 'ended', data: { job_id: body.job_id, of: 'runs' } }),
    );

    const again = await bulk({ query: { workflow_id: id }, action: { type: 'cancel' } });
    const ended = await untilDone(again.body.job_id);
    expect(ended.total).toBe(12);
    expect((await stack.other.get(`/jobs/${body.job_id}`)).status).toBe(404);
    const [reader, stranger] = [
      await stack.org.withScopes('workflows:read'),
      await stack.org.withScopes('chat-sessions:read'),
    ];
    expect((await reader.get(`/jobs/${body.job_id}`)).status).toBe(200);
    expect((await stranger.get(`/jobs/${body.job_id}`)).status).toBe(403);
  });
});
