import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { sql } from 'kysely';
import { loadConfig } from '../../../src/config.ts';
import { connect } from '../../../src/db/connect.ts';
import { createEgress } from '../../../src/providers/egress/egress.ts';
import { serve } from '../processes.ts';

export interface Order {
  orgId: string;
  runId: string;
  url: string;
  total: number;
}

export type HandWrittenActivities = typeof activities;

// A typical hand-written equivalent: a workflow in code, storing the output of each step in one row.
const config = loadConfig();
Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
const { db } = connect(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
const egress = createEgress({ allow: config.EGRESS_ALLOW });

const keep = async ({ orgId, runId }: Order, step: string, output: unknown) => {
  await sql`
    insert into hand_written_steps (org_id, run_id, step, output) values (${orgId}, ${runId}, ${step}, ${JSON.stringify(output)})
    on conflict (org_id, run_id, step) do update set output = excluded.output
  `.execute(db);
};
const activities = {
  async isBig(order: Order): Promise<boolean> {
    const isBig = order.total > 100;
    await keep(order, 'big', { result: isBig });
    return isBig;
  },
  async call(order: Order): Promise<void> {
    const { status, body } = await egress.request(order.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': order.runId },
      body: JSON.stringify({ total: order.total }),
    });
    await keep(order, 'call', { status, body });
  },
};

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS }),
  taskQueue: 'hand-written',
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(import.meta.resolve('./hand-written.workflow.ts')),
    logger: new DefaultLogger('WARN'),
  }),
  activities,
  maxConcurrentActivityTaskExecutions: 100,
  maxCachedWorkflows: 600,
});
void worker.run();

serve({ ready: async () => true });
