import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfigOrExit } from '../config.ts';
import { connect, LOCK_TIMEOUT_MS } from '../db/connect.ts';
import { choosePoolSize } from '../db/connections/starting.ts';
import { isDatabaseUnavailable } from '../db/failures.ts';
import { assertSchemaKnown } from '../db/migrate.ts';
import { createWriteQuota } from '../db/write-quota.ts';
import { endOnUnhandledError } from '../logging/failing-start.ts';
import { createLogger } from '../logging/logger.ts';
import { outageBy } from '../logging/outages.ts';
import { removeAbandonedSpools } from '../media/spool.ts';
import { VERSION } from '../operations/health.ts';
import { startOpsServer } from '../operations/server.ts';
import { endOnStopSignal, onStopSignal } from '../processes/shutdown.ts';
import { connectTemporalHealth } from '../temporal/client.ts';
import { startTracing } from '../tracing/start.ts';
import { createApp } from './app.ts';
import { createApiDeps } from './create-deps.ts';

const config = loadConfigOrExit('api');
const logger = createLogger({ name: 'api', level: config.LOG_LEVEL, outageOf: outageBy(isDatabaseUnavailable) });
endOnUnhandledError(logger);
endOnStopSignal();
const tracing = await startTracing(config, { name: 'api', version: VERSION }, logger);
const quota = createWriteQuota(config.WRITE_QUOTA_BYTES);
const { db, pool, close } = connect(config.DATABASE_URL, {
  poolSize: await choosePoolSize(config, logger),
  lockTimeoutMs: LOCK_TIMEOUT_MS,
  quota,
});
await assertSchemaKnown(db, logger);
await removeAbandonedSpools();

const temporal = connectTemporalHealth(config);
const { deps, close: closeDeps } = createApiDeps({ config, db, pool, quota, temporal, logger });
const app = await createApp(deps, logger);
const stopWatching = app.health.watch();
const ops =
  config.OPS_PORT === undefined ? undefined : await startOpsServer(app, { host: config.HOST, port: config.OPS_PORT });
await app.listen({ host: config.HOST, port: config.PORT });

onStopSignal(logger, config.STOP_GRACE_SECONDS, async () => {
  app.health.drain();
  await sleep(config.DRAIN_SECONDS * 1_000);
  stopWatching();
  await app.close();
  await Promise.all([ops?.close(), closeDeps(), temporal.close(), tracing?.stop()]);
  await close();
});
