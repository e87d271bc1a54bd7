import { DefaultLogger, Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { loadConfig } from '../../../src/config.ts';
import { connect, RELAY_APPLICATION_NAME } from '../../../src/db/connect.ts';
import { createWriteQuota } from '../../../src/db/write-quota.ts';
import { startRelay } from '../../../src/outbox/relay.ts';
import { onStopSignal } from '../../../src/processes/shutdown.ts';
import { loadWorkflowBundle } from '../../../worker/bundle.ts';
import { createWorkerDeps } from '../../../worker/deps.ts';
import { createReactions } from '../../../worker/reactions.ts';
import { runWorkers } from '../../../worker/run.ts';
import { connectWorkers } from '../../../worker/temporal.ts';
import { serve } from '../processes.ts';
import { senderOfEnvironment } from './costless-sender.ts';

// The complete worker of worker/main.ts, but with a sender without cost.
const config = loadConfig();
const log = pino({ level: config.LOG_LEVEL });
Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
const quota = createWriteQuota(config.WRITE_QUOTA_BYTES);
const { db, close } = connect(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE, quota });
const relayConnection = connect(config.DATABASE_URL, { poolSize: 4, applicationName: RELAY_APPLICATION_NAME });
const temporal = await connectWorkers(config);
const sender = senderOfEnvironment();
const {
  deps,
  stopReceiving,
  close: closeDeps,
} = await createWorkerDeps(config, db, { quota, log, receivesMail: true });
const workers = await runWorkers({
  connection: temporal.connection,
  namespace: config.TEMPORAL_NAMESPACE,
  workflowBundle: await loadWorkflowBundle(),
  queues: config.WORKER_QUEUES,
  graceSeconds: 10,
  deps: { ...deps, senders: { of: async () => sender, close: () => undefined } },
  quota,
});
const relay = startRelay({
  databaseUrl: config.DATABASE_URL,
  db,
  commandDb: relayConnection.db,
  temporal: () => temporal.client,
  reactions: createReactions(quota, config, deps),
  log,
});
onStopSignal(log, config.STOP_GRACE_SECONDS, async () => {
  await Promise.all([stopReceiving(), relay.stop(), workers.stop()]);
  await Promise.all([closeDeps(), temporal.connection.close(), relayConnection.close(), close()]);
});

serve({ ready: async () => true });
