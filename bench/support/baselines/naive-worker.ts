import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { forEachConcurrently } from '../../../src/concurrency/limited.ts';
import { loadConfig } from '../../../src/config.ts';
import { connect } from '../../../src/db/connect.ts';
import { newId } from '../../../src/ids.ts';
import { serve } from '../processes.ts';
import { COSTLESS, createCostlessSender } from '../programs/costless-sender.ts';
import { EMAIL_CONTENT } from '../seed.ts';
import { enrollAll, insertDelivery, type OneSend, settleDelivery } from './row-by-row.ts';

const MAX_CONCURRENT_STARTS = 50;
const TASK_QUEUE = 'naive';

export type NaiveActivities = typeof activities;

// One workflow per contact, with the same database, the same sender and the most useful concurrency on this machine.
const config = loadConfig();
Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
const { db } = connect(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });

const sender = createCostlessSender(COSTLESS);
const sendTo = async ({ orgId, to }: OneSend, deliveryId: string): Promise<string> => {
  await sender.send({ channel: 'email', content: EMAIL_CONTENT, orgId, deliveryId, to });
  return deliveryId;
};
const activities = {
  begin: (send: OneSend) => insertDelivery(db, send),
  send: (send: OneSend & { deliveryId: string }) => sendTo(send, send.deliveryId),
  settle: (send: OneSend & { deliveryId: string; providerId: string }) =>
    settleDelivery(db, send, send.deliveryId, send.providerId),
  async beginSendAndSettle(send: OneSend) {
    const deliveryId = await insertDelivery(db, send);
    await settleDelivery(db, send, deliveryId, await sendTo(send, deliveryId));
  },
};

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS }),
  taskQueue: TASK_QUEUE,
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(import.meta.resolve('./naive.workflow.ts')),
    logger: new DefaultLogger('WARN'),
  }),
  activities,
  maxConcurrentActivityTaskExecutions: 100,
  maxCachedWorkflows: 600,
});
void worker.run();
const client = new Client({ connection: await Connection.connect({ address: config.TEMPORAL_ADDRESS }) });

serve({
  /** Runs a workflow per contact of the org. Returns the contacts a second, from the first start to the last end. */
  async run({ orgId, sequenceId, type }: { orgId: string; sequenceId: string; type: string }) {
    const sends = await enrollAll(db, orgId, sequenceId);
    const begun = performance.now();
    const ends: Promise<unknown>[] = [];
    await forEachConcurrently(sends, MAX_CONCURRENT_STARTS, async (send) => {
      const handle = await client.workflow.start(type, { workflowId: newId(), taskQueue: TASK_QUEUE, args: [send] });
      ends.push(handle.result());
    });
    await Promise.all(ends);
    return (sends.length / (performance.now() - begun)) * 1000;
  },
});
