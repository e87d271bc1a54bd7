import { sql } from 'kysely';
import { hideAutomation } from '../../../src/automations/queries.ts';
import { deleteRemainsOfWorkflows } from '../../../src/automations/runs/maintenance.service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';

const ENDED_RUNS = 1_001;

let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi({ env: { FAST_PATHS: 'off' } }); // no worker runs here: runs begin with the transaction
  org = api.org;
});
afterAll(() => api.close());

const wait = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } };

/** Creates a workflow that is started by a webhook, with ended runs and one that waits. */
async function workflowWithRuns(endedRuns: number) {
  const definition = { name: 'Many', trigger_type: 'webhook', workflow_blocks: [wait] };
  const { workflow_id: id, webhook_url } = (await org.post('/workflows', definition)).body;
  await org.post(`/workflows/${id}/activate`, {});
  const hook = () =>
    fetch(webhook_url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
  expect((await hook()).ok).toBe(true);
  const runId = (await org.get(`/workflows/${id}/runs`)).body.runs[0]?.id;
  await sql`
    with ended as (
      insert into automation_runs (org_id, id, automation_id, version_id, status, trigger_cause, trigger_key, trigger_output, run_ended_at)
      select org_id, gen_random_uuid(), automation_id, version_id, 'completed', 'manual', 'ended/' || n, '{}', now()
      from automation_runs, generate_series(1, ${endedRuns}::integer) as n where org_id = ${org.id} and id = ${runId}
      returning org_id, id
    )
    insert into automation_steps (org_id, run_id, path, step_id, type, status) select org_id, id, '0', 'a', 'wait', 'completed' from ended
  `.execute(api.db);
  const [ended] = (await org.get(`/workflows/${id}/runs?status=completed&limit=1`)).body.runs;
  return { id: id as string, hook, runId: runId as string, endedId: ended.id as string };
}
const statusesOf = async (id: string) =>
  (
    await api.db.selectFrom('automation_runs').select('status').distinct().where('automation_id', '=', id).execute()
  ).map(({ status }) => status);
const rowsOf = async (id: string) => {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from automations where id = ${id}) + (select count(*) from automation_versions where automation_id = ${id})
      + (select count(*) from automation_runs where automation_id = ${id}) as count
  `.execute(api.db);
  return rows[0]?.count;
};

it('a workflow with many runs is gone at once, and its runs are deleted afterwards', async () => {
  const { id, hook, runId, endedId } = await workflowWithRuns(ENDED_RUNS);
  const other = await workflowWithRuns(1);
  expect((await org.delete(`/workflows/${id}`)).status).toBe(200);

  expect(
    (await org.get('/workflows')).body.items.map(({ workflow_id }: { workflow_id: string }) => workflow_id),
  ).toEqual([other.id]);
  for (const path of ['', '/versions', '/runs', `/runs/${runId}`, `/runs/${endedId}`])
    expect([path, (await org.get(`/workflows/${id}${path}`)).status]).toEqual([path, 404]);
  for (const path of ['/activate', '/deactivate', '/trigger', `/runs/${endedId}/cancel`, `/runs/${endedId}/rerun`])
    expect([path, (await org.post(`/workflows/${id}${path}`, {})).status]).toEqual([path, 404]);
  expect((await org.patch(`/workflows/${id}`, { name: 'Again' })).status).toBe(404);
  expect((await org.delete(`/workflows/${id}`)).status).toBe(404);
  expect((await hook()).status).toBe(404);
  const woken = await api.db
    .selectFrom('outbox')
    .select('kind')
    .where('workflow_id', '=', `workflow-run/${runId}`)
    .execute();
  expect(woken.map(({ kind }) => kind)).toContain('signal');
  expect((await statusesOf(id)).toSorted()).toEqual(['canceled', 'completed']);

  let calls = 0;
  while ((await deleteRemainsOfWorkflows(api.db)) > 0) calls++;
  expect(calls).toBeGreaterThan(2);
  expect(await rowsOf(id)).toBe(0);
  expect(await statusesOf(other.id)).toEqual(expect.arrayContaining(['completed', 'in_progress']));
  expect((await org.get(`/workflows/${other.id}`)).status).toBe(200);
});

it('a workflow with few runs is deleted with them', async () => {
  const { id } = await workflowWithRuns(10);
  expect((await org.delete(`/workflows/${id}`)).status).toBe(200);
  expect(await rowsOf(id)).toBe(0);
});

it('a run that was started while its workflow was being deleted is canceled', async () => {
  const { id, runId } = await workflowWithRuns(ENDED_RUNS);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const inserted = Promise.withResolvers<void>();
  const starting = inTransaction(api.db, async (trx) => {
    await sql`
      insert into automation_runs (org_id, id, automation_id, version_id, trigger_cause, trigger_key, trigger_output)
      select org_id, gen_random_uuid(), automation_id, version_id, 'manual', 'late', '{}' from automation_runs where id = ${runId}
    `.execute(trx);
    inserted.resolve();
    await released;
  });
  await inserted.promise;
  const deleting = org.delete(`/workflows/${id}`);
  setTimeout(release, 300);
  await starting;
  expect((await deleting).status).toBe(200);
  expect((await statusesOf(id)).toSorted()).toEqual(['canceled', 'completed']);
});

it('a workflow that is being hidden starts no run by an event that arrives meanwhile', async () => {
  const { id, hook } = await workflowWithRuns(1);
  const before = await rowsOf(id);
  const arriving = await inTransaction(api.db, async (trx) => {
    await sql`select from automations where org_id = ${org.id} and id = ${id} for update`.execute(trx);
    await hideAutomation(trx, org.id, id);
    const event = hook();
    await eventually('an event that waits', async () => {
      const { rows } = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like '%into automation_runs%'
      `.execute(api.db);
      return rows.length > 0;
    });
    return { event };
  });
  await arriving.event;
  expect(await rowsOf(id)).toBe(before);
});
