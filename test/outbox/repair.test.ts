import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { newId } from '../../src/ids.ts';
import { addMember } from '../../src/orgs/members/service.ts';
import { repair } from '../../src/repair/repair.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { newAnsweringOrg, QUESTION, turnsOf } from '../ai/answering-org.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { startFakeModel } from '../support/fakes/model.ts';
import { pageOf, startFakeSite } from '../support/fakes/site.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { activate } from '../support/triggers.ts';

const CLI = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: { ...FAKES_ALLOWED, CRAWL_DELAY_MS: '0' } });
});
afterAll(() => stack.close());

const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } };
const handleOf = (workflowId: string) => stack.temporal.workflow.getHandle(workflowId);

/** Starts a run that waits for an hour, and returns how to look at it. */
async function waitingRun() {
  const made = await stack.org.post('/workflows', {
    name: 'Test',
    trigger_type: 'manual-trigger',
    workflow_blocks: [pause],
  });
  const { workflow_id } = made.body;
  await stack.org.post(`/workflows/${workflow_id}/activate`, {});
  const { run_id } = (await stack.org.post(`/workflows/${workflow_id}/trigger`, {})).body;
  const look = async () => (await stack.org.get(`/workflows/${workflow_id}/runs/${run_id}`)).body;
  const handle = handleOf(`workflow-run/${run_id}`);
  await isRunning(handle);
  return { id: run_id as string, look, handle };
}

async function activeSequence() {
  const step = { action: { type: 'send_sms_messages', data: { message: 'Hello' } }, delay_in_minutes: 0 };
  const { body } = await stack.org.post('/sequences', { name: 'Welcome', filter: null, steps: [step] });
  const handle = handleOf(`sequence/${body.id}`);
  await isRunning(handle);
  return { id: body.id as string, look: async () => (await stack.org.get(`/sequences/${body.id}`)).body, handle };
}

const isRunning = (handle: ReturnType<typeof handleOf>) =>
  eventually('a running workflow', async () => {
    const found = await handle.describe().catch(() => undefined);
    return found?.status.name === 'RUNNING';
  });
const statusOf = (what: { look: () => Promise<{ status: string }> }, status: string) =>
  eventually(status, async () => {
    const row = await what.look();
    return row.status === status && row;
  });
const mend = () => repair(stack.db, stack.temporal, { isDryRun: false });

/** Makes Temporal forget a workflow. */
async function lose(handle: ReturnType<typeof handleOf>) {
  await stack.temporal.workflowService.deleteWorkflowExecution({
    namespace: stack.config.TEMPORAL_NAMESPACE,
    workflowExecution: { workflowId: handle.workflowId },
  });
  await eventually('the deletion', () =>
    handle.describe().then(
      () => false,
      () => true,
    ),
  );
}

/** Runs `cli repair`, and returns what it prints. */
async function repairByCli(...flags: string[]) {
  const env = {
    ...process.env,
    DATABASE_URL: stack.config.DATABASE_URL,
    TEMPORAL_ADDRESS: stack.config.TEMPORAL_ADDRESS,
    TEMPORAL_NAMESPACE: stack.config.TEMPORAL_NAMESPACE,
    JWT_SECRET: stack.config.JWT_SECRET,
    SECRET_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'repair', '--json', ...flags], { env });
  return JSON.parse(stdout);
}

it('a run canceled in Temporal is canceled, and a sequence is paused and can be resumed', async () => {
  const [run, sequence] = [await waitingRun(), await activeSequence()];
  await Promise.all([run.handle.cancel(), sequence.handle.cancel()]);
  expect(await statusOf(run, 'canceled')).toMatchObject({ error: 'Stopped in Temporal' });
  expect(await statusOf(sequence, 'paused')).toMatchObject({ paused_reason: expect.stringContaining('resume') });
  await eventually('the end of the workflow', async () => (await sequence.handle.describe()).status.name !== 'RUNNING');
  expect((await stack.org.put(`/sequences/${sequence.id}/resume`, {})).status).toBe(200);
  await isRunning(sequence.handle);
  expect(await mend()).toEqual([]);
});

it('the repair mends terminated and lost workflows, and a dry run only shows them', async () => {
  const [stopped, healthy, sequence] = [await waitingRun(), await waitingRun(), await activeSequence()];
  await Promise.all([stopped.handle.terminate(), sequence.handle.terminate()]);
  const shown = [
    { kind: 'workflow-run', org_id: expect.any(String), id: stopped.id, temporal: 'stopped', mended: 'none' },
    { kind: 'sequence', org_id: expect.any(String), id: sequence.id, temporal: 'stopped', mended: 'none' },
  ];
  expect(await repairByCli('--dry-run')).toEqual(shown);
  expect(await stopped.look()).toMatchObject({ status: 'in_progress' });

  expect((await mend()).map(({ id, mended }) => [id, mended])).toEqual([
    [stopped.id, 'canceled'],
    [sequence.id, 'paused'],
  ]);
  expect(await stopped.look()).toMatchObject({ status: 'canceled', error: 'Stopped in Temporal' });
  expect(await sequence.look()).toMatchObject({ status: 'paused' });
  expect(await healthy.look()).toMatchObject({ status: 'in_progress' });
  expect(await mend()).toEqual([]);
});

it('a row that cannot be mended is shown with the reason, and keeps no other from being mended', async () => {
  const [broken, stopped, sequence] = [await waitingRun(), await waitingRun(), await activeSequence()];
  await Promise.all([broken.handle.terminate(), stopped.handle.terminate(), sequence.handle.terminate()]);
  await sql
    .raw(`
      create function break() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger break before update on automation_runs for each row when (new.id = '${broken.id}') execute function break();
    `)
    .execute(stack.db);
  const failure = await repairByCli().catch((error: { code: number; stdout: string; stderr: string }) => error);
  expect([failure.code, failure.stderr]).toEqual([1, expect.stringContaining('1 of 3 could not be mended')]);
  expect(JSON.parse(failure.stdout)).toMatchObject([
    { id: broken.id, mended: 'failed', error: 'broken' },
    { id: stopped.id, mended: 'canceled' },
    { id: sequence.id, mended: 'paused' },
  ]);
  await sql`drop function break cascade`.execute(stack.db);
  expect(await mend()).toMatchObject([{ id: broken.id, mended: 'canceled' }]);
});

it('a run that Temporal has lost resumes at its step, without a longer wait', async () => {
  const run = await waitingRun();
  const [{ input }] = (await run.look()).steps;
  await lose(run.handle);
  expect(await mend()).toMatchObject([{ id: run.id, temporal: 'absent', mended: 'resumed' }]);
  await isRunning(run.handle);
  expect(await run.look()).toMatchObject({ status: 'in_progress', steps: [{ status: 'waiting', input }] });
});

it('a run whose workflow ended before the database was restored fails and says so, and a sequence continues', async () => {
  const run = await waitingRun();
  await sql`update automation_steps set input = '{"until": "2026-01-01T00:00:00Z"}' where run_id = ${run.id}`.execute(
    stack.db,
  );
  await run.handle.signal(WAKE);
  await statusOf(run, 'completed');
  await eventually('the end of the workflow', async () => (await run.handle.describe()).status.name === 'COMPLETED');
  await sql`update automation_runs set status = 'in_progress', run_ended_at = null where id = ${run.id}`.execute(
    stack.db,
  );
  const step = { action: { type: 'send_sms_messages', data: { message: 'Hello' } }, delay_in_minutes: 0 };
  const oneOff = { name: 'Once', filter: null, steps: [step], is_continuous: false };
  const { id } = (await stack.org.post('/sequences', oneOff)).body;
  await sql`update sequences set status = 'active', started_at = now() where id = ${id}`.execute(stack.db);

  expect(await mend()).toMatchObject([
    { id: run.id, temporal: 'ended', mended: 'failed' },
    { id, temporal: 'absent', mended: 'resumed' },
  ]);
  expect(await run.look()).toMatchObject({ status: 'failed', error: expect.stringContaining('ended in Temporal') });
  await eventually(
    'the end of the sequence',
    async () => (await stack.org.get(`/sequences/${id}`)).body.status === 'complete',
  );
});

it('a crawl whose workflow was terminated is cancelled, and one that Temporal has lost continues', async () => {
  const site = await startFakeSite();
  try {
    for (const path of ['/?a', '/?b']) site.pages.set(path, { ...pageOf('Home'), delayMs: 1_000 });
    const crawls = await Promise.all(
      ['/?a', '/?b'].map(async (path) => {
        const { body } = await stack.org.post('/crawl', { url: `${site.url}${path}` });
        const [job] = (await stack.org.get(`/crawl/${body.id}/crawls`)).body.items;
        const handle = handleOf(`crawl/${body.id}/${job.id}`);
        await isRunning(handle);
        await stack.org.patch(`/crawl/${body.id}`, { status: 'paused' });
        return {
          id: body.id,
          handle,
          look: async () => (await stack.org.get(`/crawl/${body.id}/crawls/${job.id}`)).body,
        };
      }),
    );
    const [stopped, lost] = crawls as [(typeof crawls)[0], (typeof crawls)[0]];
    await eventually(
      'the signals',
      async () => (await stack.db.selectFrom('outbox').select('id').execute()).length === 0,
    );
    await stopped.handle.terminate();
    await lose(lost.handle);
    const mended = await mend();
    expect(mended.map(({ kind, temporal, mended: done }) => [kind, temporal, done]).toSorted()).toEqual([
      ['crawl', 'absent', 'resumed'],
      ['crawl', 'stopped', 'canceled'],
    ]);
    expect(await stopped.look()).toMatchObject({ status: 'cancelled', error_message: 'Stopped in Temporal' });
    await stack.org.patch(`/crawl/${lost.id}`, { status: 'active' });
    await eventually('the end', async () => (await lost.look()).status === 'completed');
  } finally {
    await site.close();
  }
});

it('people get the session of a turn whose workflow was terminated, and a turn that Temporal has lost goes on', async () => {
  const org = await newAnsweringOrg(stack);
  await org.patch('/autopilot/settings', { quiet_seconds: { api: 60 }, cap_seconds: { api: 60 } });
  await org.post('/autopilot/settings/publish');
  const sessions = await Promise.all(
    ['stopped', 'lost'].map(async () => {
      const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
      const message = { sender: 'contact', message: { type: 'text', text: QUESTION } };
      await org.post(`/chat/sessions/${id}/send`, message, { headers: { prefer: 'wait=0' } });
      await eventually('a turn', async () => (await turnsOf(stack.db, id))[0]);
      const handle = handleOf(`ai-turn/${id}`);
      await isRunning(handle);
      return { id: id as string, handle };
    }),
  );
  const [stopped, lost] = sessions as [(typeof sessions)[0], (typeof sessions)[0]];
  await stopped.handle.terminate();
  await lose(lost.handle);
  const mended: { kind: string; temporal: string; mended: string }[] = await repairByCli();
  expect(mended.map(({ kind, temporal, mended: done }) => [kind, temporal, done]).toSorted()).toEqual([
    ['ai-turn', 'absent', 'resumed'],
    ['ai-turn', 'stopped', 'handed_off'],
  ]);
  expect(await turnsOf(stack.db, stopped.id)).toMatchObject([{ state: 'handed_off', reason: 'ai_failed' }]);
  expect((await org.get(`/chat/sessions/${stopped.id}`)).body).toMatchObject({ handoff: { reason: 'ai_failed' } });
  await isRunning(lost.handle);
  expect(await turnsOf(stack.db, lost.id)).toMatchObject([{ state: 'waiting' }]);
  expect(await repairByCli()).toEqual([]);
});

it('what watches an org is there again after Temporal has lost it: SLA clocks, inactivity and unknown sends', async () => {
  const org = await stack.createOrg();
  const policy = (await org.post('/sla/policies', { name: 'Gold', resolution_target_seconds: 3_600 })).body.id;
  await org.put(`/sla/policies/${policy}/assignment`, {});
  const session = (await org.post('/chat/sessions', {})).body.id;
  await activate(org, { trigger_type: 'ticket-inactive', trigger_configuration: { minutes: 60 } });
  const [clocks, inactivity] = [handleOf(`sla/${session}`), handleOf(`inactivity/${org.id}`)];
  await Promise.all([isRunning(clocks), isRunning(inactivity)]);
  const history = async () => (await org.get(`/chat/sessions/${session}/history`)).body.items;
  const has = async (type: string) =>
    (await history()).some(({ event }: { event: { type: string } }) => event.type === type);
  await eventually('the evaluation', () => has('sla_started'));
  await Promise.all([lose(clocks), lose(inactivity)]);

  const ids = { kind: 'inactivity', org_id: org.id, id: org.id, temporal: 'absent' };
  expect(await mend()).toEqual([{ ...ids, mended: 'resumed' }]); // the clocks are not due yet
  await isRunning(inactivity);
  await sql`
    with moved as (update sessions set created_at = created_at - interval '2 hours' where id = ${session}),
      applied as (update session_slas set applied_at = applied_at - interval '2 hours', next_at = next_at - interval '2 hours' where session_id = ${session}),
      sent as (insert into deliveries (org_id, id, channel, "to", status, began_at, look_up_at)
        values (${org.id}, ${newId()}, 'sms', '+4915112345678', 'unknown', now(), now()))
    update session_events set created_at = created_at - interval '2 hours' where session_id = ${session}
  `.execute(stack.db);
  expect(await mend()).toEqual([
    { kind: 'sla', org_id: org.id, id: session, temporal: 'absent', mended: 'resumed' },
    { kind: 'reconciliation', org_id: org.id, id: org.id, temporal: 'absent', mended: 'resumed' },
  ]);
  await eventually('the breach', () => has('sla_breached'));
  await isRunning(handleOf(`reconciliation/${org.id}`));
});

it('Schedules are set again and deletions go on after Temporal has lost them', async () => {
  const org = await stack.createOrg();
  const datasource = async (name: string, crawl_interval_hours: number | null) => {
    const body = { url: `https://${name}.example.com/`, crawl_interval_hours, auto_start_crawl: false };
    return (await org.post('/crawl', body)).body.id as string;
  };
  const cron = { cron: '0 0 1 1 *' };
  const workflow = await activate(org, { trigger_type: 'cron-trigger', trigger_configuration: cron });
  const [crawled, deleted] = [await datasource('crawled', 24), await datasource('deleted', null)];
  const team = (await org.post('/teams', { name: 'Deleted' })).body.id;
  const member = await addMember(stack.db, org.id, { email: `${crypto.randomUUID()}@example.com` });
  const schedules = [`workflow-schedule/${workflow.id}`, `crawl-schedule/${crawled}`].map((id) =>
    stack.temporal.schedule.getHandle(id),
  );
  const areSet = () =>
    Promise.all(schedules.map((schedule) => schedule.describe())).then(
      () => true,
      () => false,
    );
  await eventually('the Schedules', areSet);
  expect(await mend()).toEqual([]);
  await Promise.all(schedules.map((schedule) => schedule.delete()));
  for (const table of ['datasources', 'teams', 'members'])
    await sql`
      update ${sql.table(table)} set deleted_at = now()
      where org_id = ${org.id} and ${sql.ref(table === 'members' ? 'user_id' : 'id')}::text = any(${[deleted, team, String(member)]}::text[])
    `.execute(stack.db);

  const lost = [
    ['datasource-deletion', deleted],
    ['member-deletion', String(member)],
    ['team-deletion', team],
    ['workflow-schedule', workflow.id],
    ['crawl-schedule', crawled],
  ];
  const find = async () =>
    (await repair(stack.db, stack.temporal, { isDryRun: true })).map(({ kind, id }) => [kind, id]);
  await eventually('the end of the Schedules in the list', async () => (await find()).length === lost.length);
  expect(await find()).toEqual(lost);
  expect((await mend()).map(({ kind, id, mended }) => [kind, id, mended])).toEqual(
    lost.map((row) => [...row, 'resumed']),
  );
  await eventually('all', async () => (await areSet()) && (await find()).length === 0);
});

it('a run of evals whose workflow was terminated is canceled, and one that Temporal has lost goes on', async () => {
  const answer = Promise.withResolvers<void>();
  const model = await startFakeModel(async () => {
    await answer.promise;
    return { json: { kind: 'nothing', language: 'en', covers: 'fully', parts: [] } };
  });
  try {
    const runs = await Promise.all(
      ['stopped', 'lost'].map(async (name) => {
        const org = await newAnsweringOrg(stack);
        await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
        await org.post('/autopilot/evals', {
          name,
          messages: [{ sender: 'contact', text: QUESTION }],
          checks: { ends: 'answered' },
        });
        const { id } = (await org.post('/autopilot/evals/runs', { settings: 'draft' })).body;
        const handle = handleOf(`eval-run/${id}`);
        await isRunning(handle);
        const look = async () => (await org.get(`/autopilot/evals/runs/${id}`)).body;
        return { id: id as string, handle, look };
      }),
    );
    const [stopped, lost] = runs as [(typeof runs)[0], (typeof runs)[0]];
    await stopped.handle.terminate();
    await lose(lost.handle);
    const mended: { id: string; mended: string }[] = await repairByCli();
    expect(new Map(mended.map(({ id, mended: done }) => [id, done]))).toEqual(
      new Map([
        [stopped.id, 'canceled'],
        [lost.id, 'resumed'],
      ]),
    );
    expect(await stopped.look()).toMatchObject({ state: 'canceled' });
    answer.resolve();
    await eventually('the end', async () => (await lost.look()).state === 'done');
    expect(await repairByCli()).toEqual([]);
  } finally {
    answer.resolve();
    await model.close();
  }
});
