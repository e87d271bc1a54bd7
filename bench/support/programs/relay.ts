import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import { pino } from 'pino';
import { forEachConcurrently } from '../../../src/concurrency/limited.ts';
import { loadConfig } from '../../../src/config.ts';
import { connect, RELAY_APPLICATION_NAME } from '../../../src/db/connect.ts';
import { type Relay, startRelay } from '../../../src/outbox/relay.ts';
import { connectTemporal } from '../../../src/temporal/client.ts';
import { searchAttributes } from '../../../src/temporal/search-attributes.ts';
import { type Served, serve } from '../processes.ts';

// Runs the relay, and direct starts from the same process by the same client. In both cases, an interceptor records the
// time when the client's start has returned.
const config = loadConfig();
const log = pino({ level: config.LOG_LEVEL });
const { db } = connect(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
const { db: commandDb } = connect(config.DATABASE_URL, { poolSize: 4, applicationName: RELAY_APPLICATION_NAME });
const temporal = connectTemporal(config);

const startedAt = new Map<string, number>();
let onStarted = () => {};
const noteStarts: WorkflowClientInterceptor = {
  async startWithDetails(input, next) {
    const started = await next(input);
    startedAt.set(input.options.workflowId, nowMs());
    onStarted();
    return started;
  },
};
const client = new Client({
  connection: temporal.client.connection,
  namespace: config.TEMPORAL_NAMESPACE,
  interceptors: { workflow: [noteStarts] },
});

let relay: Relay | undefined;

export interface Start {
  orgId: string;
  workflowId: string;
  taskQueue: string;
}

/** Starts a workflow with the same options as the relay, but directly. */
const startDirectly = async ({ orgId, workflowId, taskQueue }: Start) => {
  await client.workflow.start('benchStart', {
    workflowId,
    taskQueue,
    args: [{ orgId }],
    typedSearchAttributes: searchAttributes({ orgId, subjectId: orgId, workflowId }),
    staticSummary: 'Bench',
    priority: { fairnessKey: orgId },
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  });
};

const served: Served = {
  async startRelay() {
    relay = startRelay({ databaseUrl: config.DATABASE_URL, db, commandDb, temporal: () => client, reactions: {}, log });
  },
  async stopRelay() {
    await relay?.stop();
  },
  /** Returns the milliseconds of one start. */
  async timeDirectStart(start: Start) {
    const begun = nowMs();
    await startDirectly(start);
    return (startedAt.get(start.workflowId) ?? Number.NaN) - begun;
  },
  /** Returns the time at which the relay had started the workflow, by the machine's monotonic clock. */
  async whenStarted({ workflowId }: Start) {
    while (!startedAt.has(workflowId)) await new Promise<void>((resolve) => (onStarted = resolve));
    return startedAt.get(workflowId);
  },
  /** Starts workflows directly, `atOnce` at a time. Returns the starts a second. */
  async startAll({ starts, atOnce }: { starts: Start[]; atOnce: number }) {
    const begun = nowMs();
    await forEachConcurrently(starts, atOnce, startDirectly);
    return (starts.length / (nowMs() - begun)) * 1000;
  },
  /** Drains a backlog with a relay. Returns the starts a second, from the relay's start to the last row's deletion. */
  async drain({ count }: { count: number }) {
    startedAt.clear();
    const begun = nowMs();
    await served.startRelay?.({});
    while (startedAt.size < count) await new Promise<void>((resolve) => (onStarted = resolve));
    await relay?.stop();
    return (count / (nowMs() - begun)) * 1000;
  },
};

function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

serve(served);
