import { sql } from 'kysely';
import { claimInlineBatch } from '../../../src/automations/runs/inline/service.ts';
import { newId } from '../../../src/ids.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';

let stack: Stack;
let shop: FakeProvider;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  shop = await startFakeProvider();
});
afterAll(async () => {
  await shop.close();
  await stack.close();
});
beforeEach(async () => {
  org = await stack.createOrg();
  shop.calls.length = 0;
});

const call = () => ({ $kind: 'Action', id: 'call', type: 'send-webhook', name: 'Call', input: { url: shop.url } });
const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 500 } };
const hook = (workflow_blocks: object[]) => activate(org, { trigger_type: 'webhook', workflow_blocks });
const post = (url: string, headers: Record<string, string> = {}) =>
  org.post(new URL(url).pathname, { order: 1 }, { headers });
const runOf = async (id: string, runId: string) => (await org.get(`/workflows/${id}/runs/${runId}`)).body;
const completed = (id: string, runId: string) =>
  eventually('the end of a run', async () => {
    const run = await runOf(id, runId);
    return run.status === 'completed' && run;
  });

it('a short run is done without a workflow, and says so', async () => {
  const { id, url } = await hook([call()]);
  const { run_id } = (await post(url)).body;
  const run = await completed(id, run_id);
  expect(run.ran_in).toEqual({ kind: 'inline', workflow_id: null, batch_workflow_id: null, url: null });
  expect(run.steps).toMatchObject([{ id: 'call', status: 'completed', attempts: 1, output: { status: 200 } }]);
});

it('a run that waits continues in a separate workflow', async () => {
  const { id, url } = await hook([call(), pause]);
  const { run_id } = (await post(url)).body;
  const handle = stack.temporal.workflow.getHandle(`workflow-run/${run_id}`);
  await eventually('its workflow', async () => (await handle.describe().catch(() => undefined)) !== undefined);
  expect((await runOf(id, run_id)).ran_in).toEqual({
    kind: 'own',
    workflow_id: `workflow-run/${run_id}`,
    batch_workflow_id: null,
    url: null,
  });
  expect((await org.post(`/workflows/${id}/runs/${run_id}/cancel`)).status).toBe(200);
  expect(shop.calls).toHaveLength(1);
});

it('a queued run begins without a notification', async () => {
  const { id } = await hook([call()]);
  const runId = newId();
  await sql`
    insert into automation_runs (org_id, id, automation_id, version_id, trigger_cause, trigger_key, trigger_output)
    select org_id, ${runId}, id, active_version, 'automatic', 'webhook/untold', '{}' from automations where id = ${id}
  `.execute(stack.db);
  await completed(id, runId);
});

it('runs of a worker that has ended are done by the workflow of their batch', async () => {
  const { id } = await hook([call()]);
  const runId = newId();
  const lease = await stack.db.transaction().execute(async (trx) => {
    await sql`
      insert into automation_runs (org_id, id, automation_id, version_id, trigger_cause, trigger_key, trigger_output)
      select org_id, ${runId}, id, active_version, 'automatic', 'webhook/lost', '{}' from automations where id = ${id}
    `.execute(trx);
    const { batch } = await claimInlineBatch(trx, org.id, 10); // as by a worker that ends at once
    return `workflow-run-batch/${batch.ref.batchId}`;
  });
  expect(shop.calls).toEqual([]);
  await sql`update outbox set available_at = now() where workflow_id = ${lease}`.execute(stack.db);
  const run = await completed(id, runId);
  expect(run.ran_in).toEqual({ kind: 'batch', workflow_id: lease, batch_workflow_id: lease, url: null });
  expect(shop.calls).toHaveLength(1);
});

describe('a webhook of a workflow that this process remembers', () => {
  const change = (id: string, set: object) =>
    stack.db.updateTable('automations').set(set).where('id', '=', id).execute();

  it('starts no run once another process has deactivated it, changed its address or deleted it', async () => {
    const { id, url } = await hook([call()]);
    expect((await post(url)).status).toBe(202);
    const { active_version } = await stack.db
      .selectFrom('automations')
      .select('active_version')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await change(id, { active_version: null });
    expect((await post(url)).status).toBe(409);
    await change(id, { active_version });
    expect((await post(url)).status).toBe(202);
    await change(id, { webhook_token: 'another' });
    expect((await post(url)).status).toBe(404);
    expect((await post(url.replace(/[^/]+$/, 'another'))).status).toBe(202);
    await change(id, { deleted_at: new Date() });
    expect((await post(url.replace(/[^/]+$/, 'another'))).status).toBe(404);
    const { rows } = await sql<{ runs: number }>`
      select count(*) as runs from automation_runs where automation_id = ${id}`.execute(stack.db);
    expect(rows).toEqual([{ runs: 3 }]);
  });

  it('is asked for the secret of the version that is active now', async () => {
    const { id, url } = await hook([call()]);
    expect((await post(url)).status).toBe(202);
    const trigger_configuration = { secret: 'a secret of at least 24 characters' };
    expect((await org.patch(`/workflows/${id}`, { trigger_configuration })).status).toBe(200);
    expect((await post(url)).status).toBe(202);
    expect((await org.post(`/workflows/${id}/activate`, {})).status).toBe(200);
    expect((await post(url)).status).toBe(403);
  });

  it('starts one run for requests with one key, also at the same time', async () => {
    const { url } = await hook([call()]);
    await post(url);
    const headers = { 'idempotency-key': 'one' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(url, headers)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.run_id}`)).size).toBe(1);
  });

  it('wakes a run that waits for webhooks', async () => {
    const other = await hook([call()]);
    await post(other.url);
    const wait = {
      $kind: 'Block',
      type: 'wait-for-event',
      id: 'wait',
      inputs: { trigger_type: 'webhook', timeout_minutes: 60 },
    };
    const { id } = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks: [wait] });
    const { run_id } = (await org.post(`/workflows/${id}/trigger`, { input: {} })).body;
    await eventually('its wait', async () => (await runOf(id, run_id)).steps[0]?.status === 'waiting');
    expect((await post(other.url)).status).toBe(202);
    expect((await completed(id, run_id)).steps[0].output).toMatchObject({ timed_out: false });
  });
});
