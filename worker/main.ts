import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { loadConfig } from '../src/config.ts';
import { connect, RELAY_APPLICATION_NAME } from '../src/db/connect.ts';
import { assertSchemaKnown } from '../src/db/migrate.ts';
import { startRelay } from '../src/outbox/relay.ts';
import { onStopSignal } from '../src/shutdown.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { startCleanup } from './cleanup.ts';
import { createWorkerDeps } from './deps.ts';
import { REACTIONS } from './reactions.ts';
import { runWorkers, type Workers } from './run.ts';
import { connectWorkers, type WorkerTemporal } from './temporal.ts';

const RETRY_MS = 1_000;
const RELAY_CONNECTIONS = 4;

const config = loadConfig();
const log = pino({ level: config.LOG_LEVEL, name: 'worker' });
Runtime.install({
  logger: new DefaultLogger('WARN', ({ level, message, meta }) => log.warn({ level, ...meta }, message)),
  shutdownSignals: [],
});

const { db, close } = connect(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
const relayConnection = connect(config.DATABASE_URL, {
  poolSize: RELAY_CONNECTIONS,
  applicationName: RELAY_APPLICATION_NAME,
});
await assertSchemaKnown(db);

const bundle = await loadWorkflowBundle(config.WORKFLOW_BUNDLE);
let temporal: WorkerTemporal | undefined;
const relay = startRelay({
  databaseUrl: config.DATABASE_URL,
  db,
  commandDb: relayConnection.db,
  temporal: () => temporal?.client,
  reactions: REACTIONS,
  log,
});
const { deps, stopReceiving, close: closeDeps } = await createWorkerDeps(config, db, log);

const stopCleanup = startCleanup(db, log);

let workers: Workers | undefined;
let isStopping = false;
onStopSignal(log, async () => {
  isStopping = true;
  stopCleanup();
  await Promise.all([stopReceiving(), relay.stop(), workers?.stop()]);
  await Promise.all([closeDeps(), temporal?.connection.close(), relayConnection.close(), close()]);
});

while (!isStopping) {
  try {
    temporal ??= await connectWorkers(config);
    workers = await runWorkers({
      connection: temporal.connection,
      namespace: config.TEMPORAL_NAMESPACE,
      workflowBundle: bundle,
      deps,
    });
    log.info('working');
    await workers.done;
  } catch (error) {
    log.warn({ err: error }, 'Temporal is unavailable; retrying');
    await sleep(RETRY_MS);
  }
}
