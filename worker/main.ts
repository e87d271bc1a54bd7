import { setTimeout as sleep } from 'node:timers/promises';
import { startRunStarter } from '../src/automations/runs/inline/starter.ts';
import { loadConfigOrExit } from '../src/config.ts';
import { connect, RELAY_APPLICATION_NAME } from '../src/db/connect.ts';
import { choosePoolSize } from '../src/db/connections/starting.ts';
import { isDatabaseUnavailable } from '../src/db/failures.ts';
import { assertSchemaKnown } from '../src/db/migrate.ts';
import { createWriteQuota } from '../src/db/write-quota.ts';
import { createCallLookup } from '../src/deliveries/callbacks/call-lookup.ts';
import { endOnUnhandledError } from '../src/logging/failing-start.ts';
import { createLogger } from '../src/logging/logger.ts';
import { outageBy } from '../src/logging/outages.ts';
import { removeAbandonedSpools } from '../src/media/spool.ts';
import { VERSION } from '../src/operations/health.ts';
import { startRelay } from '../src/outbox/relay.ts';
import { endOnStopSignal, onStopSignal } from '../src/processes/shutdown.ts';
import { isTemporalUnavailable } from '../src/temporal/dispatch.ts';
import { startTracing } from '../src/tracing/start.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { createWorkerDeps } from './deps.ts';
import { startDomainChecks } from './domain-checks.ts';
import { startFilePurge } from './file-purge.ts';
import { createHeadings } from './headings.ts';
import { createInlineWork } from './inline-work.ts';
import { startUsingModel } from './installed-model.ts';
import { startEndingLostCalls } from './lost-calls.ts';
import { startMaintenance } from './maintenance.ts';
import { startWorkerOps } from './operations.ts';
import { createReactions } from './reactions.ts';
import { startRepair } from './repair.ts';
import { CANCEL_SECONDS_BEFORE_END, runWorkers, type Workers } from './run.ts';
import { connectWorkers, isConnectionFailure, type WorkerTemporal } from './temporal.ts';
import { installRuntime, isOfCore } from './temporal-log.ts';
import { freeLoopbackPort } from './temporal-metrics.ts';
import { createTimeZoneCheck } from './time-zone-check.ts';
import { startTokenRenewal } from './token-renewal.ts';
import { createWorkerTracing } from './tracing.ts';
import { versionOf } from './versions.ts';

const RETRY_MS = 1_000;
const RELAY_CONNECTIONS = 4;

const config = loadConfigOrExit('worker');
/** A process of other queues computes for long. It would delay what all orgs wait for. */
const isInteractive = config.WORKER_QUEUES.includes('interactive');
const outageOf = outageBy(isDatabaseUnavailable, isTemporalUnavailable, isConnectionFailure);
const log = createLogger({
  name: 'worker',
  level: config.LOG_LEVEL,
  outageOf: (line) => (isOfCore(line) ? 'core' : outageOf(line)),
});
endOnUnhandledError(log);
endOnStopSignal();
const tracing = await startTracing(config, { name: 'worker', version: VERSION }, log);
const workerTracing = await createWorkerTracing(tracing);
const temporalMetricsPort = config.WORKER_OPS_PORT === undefined ? undefined : await freeLoopbackPort();
installRuntime(log, temporalMetricsPort);

const quota = createWriteQuota(config.WRITE_QUOTA_BYTES);
const poolSize = await choosePoolSize(config, log);
const { db, pool, close } = connect(config.DATABASE_URL, { poolSize, quota });
const relayConnection = connect(config.DATABASE_URL, {
  poolSize: RELAY_CONNECTIONS,
  applicationName: RELAY_APPLICATION_NAME,
});
await assertSchemaKnown(db, log);
await removeAbandonedSpools();

const bundle = await loadWorkflowBundle(config.WORKFLOW_BUNDLE);
let temporal: WorkerTemporal | undefined;
const {
  deps,
  stopReceiving,
  close: closeDeps,
} = await createWorkerDeps(config, db, { quota, log, receivesMail: isInteractive });
const relay = isInteractive
  ? startRelay({
      databaseUrl: config.DATABASE_URL,
      db,
      commandDb: relayConnection.db,
      temporal: () => temporal?.client,
      reactions: createReactions(quota, config, deps),
      inline: createInlineWork(deps),
      listHeadings: createHeadings(config.dashboardUrl),
      startsEagerly: config.WORKER_DEPLOYMENT === undefined,
      log,
    })
  : undefined;

const runStarter = isInteractive
  ? startRunStarter({
      databaseUrl: config.DATABASE_URL,
      db,
      deps,
      quota,
      log,
      stopMs: (config.STOP_GRACE_SECONDS - CANCEL_SECONDS_BEFORE_END) * 1_000,
    })
  : undefined;
const stopMaintenance = isInteractive ? startMaintenance(db, config, log) : undefined;
const stopPurge = isInteractive ? startFilePurge(db, deps.storage, log) : undefined;
const stopDomainChecks = isInteractive ? startDomainChecks(db, config, log) : undefined;
const stopModel = isInteractive ? startUsingModel(config, { db, embedder: deps.embedder, log }) : undefined;
const stopLostCalls = isInteractive
  ? startEndingLostCalls({ db, callLookup: createCallLookup(db, deps), log })
  : undefined;
const stopRenewal = isInteractive ? startTokenRenewal(db, log) : undefined;
const checkTimeZones = createTimeZoneCheck(db, log);
const stopRepair = isInteractive ? startRepair(db, () => temporal?.client, log) : undefined;

let workers: Workers | undefined;
const ops = await startWorkerOps(config, {
  db,
  pool,
  temporalMetricsPort,
  areRunning: () => workers?.areRunning() === true,
});
let isStopping = false;
onStopSignal(log, config.STOP_GRACE_SECONDS, async () => {
  isStopping = true;
  ops?.drain();
  stopMaintenance?.();
  stopPurge?.();
  stopDomainChecks?.();
  stopModel?.();
  stopLostCalls?.();
  stopRenewal?.();
  stopRepair?.();
  ops?.stopWatching();
  await Promise.all([stopReceiving(), runStarter?.stop(), relay?.stop(), workers?.stop()]);
  await Promise.all([
    ops?.close(),
    tracing?.stop(),
    closeDeps(),
    temporal?.connection.close(),
    relayConnection.close(),
    close(),
  ]);
});

/** Drops the connection: one on which a worker could not be created refuses others of its queue. */
async function disconnect(): Promise<void> {
  const dropped = temporal;
  temporal = undefined;
  await dropped?.connection.close().catch((error: unknown) => log.warn({ err: error }, 'a connection was left open'));
}

while (!isStopping) {
  try {
    temporal ??= await connectWorkers(config, workerTracing);
    workers = await runWorkers({
      connection: temporal.connection,
      namespace: config.TEMPORAL_NAMESPACE,
      workflowBundle: bundle,
      queues: config.WORKER_QUEUES,
      graceSeconds: config.STOP_GRACE_SECONDS,
      deps,
      quota,
      version: versionOf(config),
      tracing: workerTracing,
    });
    log.info('working');
    if (isInteractive) void checkTimeZones(temporal.client);
    await workers.done;
  } catch (error) {
    log.warn({ err: error }, 'Temporal is unavailable; retrying');
    await disconnect();
    await sleep(RETRY_MS);
  }
}
