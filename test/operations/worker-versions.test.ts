import { Client, Connection } from '@temporalio/client';
import type { FaultOrg } from '../faults/support/fault-org.ts';
import { type FaultStack, startFaultStack } from '../faults/support/fault-stack.ts';
import { until } from '../faults/support/until.ts';

const LIMIT_MS = 240_000;
const DEPLOYMENT = 'switchboard';

let stack: FaultStack;
let connection: Connection;
let client: Client;
beforeAll(async () => {
  stack = await startFaultStack({ env: { WORKER_DEPLOYMENT: DEPLOYMENT, WORKER_BUILD_ID: 'one' } });
  connection = await Connection.connect({ address: stack.temporalAddress });
  client = new Client({ connection });
}, LIMIT_MS);
afterAll(async () => {
  await connection.close();
  await stack.close();
});

/** Makes a version the current one, once its workers poll. */
const setCurrent = (buildId: string) =>
  until(`version ${buildId} is the current one`, async () => {
    await connection.workflowService.setWorkerDeploymentCurrentVersion({
      namespace: 'default',
      deploymentName: DEPLOYMENT,
      buildId,
    });
    return true;
  });

/** Starts a run that waits until it is told to go on. Returns the id of its workflow. */
async function startRun(org: FaultOrg): Promise<string> {
  const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 1 } };
  const made = await org.post('/workflows', { name: 'W', trigger_type: 'manual-trigger', workflow_blocks: [pause] });
  await org.post(`/workflows/${made.body.workflow_id}/activate`, {});
  const { body } = await org.post(`/workflows/${made.body.workflow_id}/trigger`, {});
  return `workflow-run/${body.run_id}`;
}

const statusOf = async (workflowId: string) => (await client.workflow.getHandle(workflowId).describe()).status.name;

/** Returns the versions that have completed tasks of a workflow. */
async function versionsOf(workflowId: string): Promise<string[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(
    ({ workflowTaskCompletedEventAttributes: completed }) => completed?.deploymentVersion?.buildId ?? [],
  );
}

it(
  'a version of the workers gets work once it is the current one, and workflows under way move to the next one',
  async () => {
    const org = await stack.newOrg();
    const early = await startRun(org);
    await until('the workflow is there', async () => (await statusOf(early)) === 'RUNNING');
    expect(await versionsOf(early)).toEqual([]);
    await setCurrent('one');
    await until('its first task is done', async () => (await versionsOf(early)).length > 0);

    await stack.addWorker({ WORKER_BUILD_ID: 'two' });
    const late = await startRun(org);
    await until('its first task is done', async () => (await versionsOf(late)).length > 0);
    await setCurrent('two');
    await stack.worker.terminate();
    for (const run of [early, late]) {
      await until('it has ended', async () => (await statusOf(run)) === 'COMPLETED');
      const versions = await versionsOf(run);
      expect([versions[0], versions.at(-1)]).toEqual(['one', 'two']);
    }
  },
  LIMIT_MS,
);
