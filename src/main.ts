import { pino } from 'pino';
import { loadConfig } from './config.ts';
import { LIVE_CHANNEL } from './conversations/live.rules.ts';
import { createLiveStreams } from './conversations/live-streams.service.ts';
import { connect } from './db/connect.ts';
import { listen } from './db/listen.ts';
import { assertSchemaKnown } from './db/migrate.ts';
import { createCallbackUrls } from './deliveries/callback-urls.ts';
import { createApp, createOpsApp } from './http/app.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { createTokens } from './keys/tokens.ts';
import { createKeyVerifier } from './keys/verifier.ts';
import { createMediaLinks } from './media/links.ts';
import { onStopSignal } from './process.ts';
import { createDns } from './providers/dns.ts';
import { ANYWHERE, createEgress } from './providers/egress.ts';
import { createFareHarbor } from './providers/fareharbor.ts';
import { createIntegrationCheck } from './providers/integration-checks.ts';
import { createStorage } from './providers/storage-by-url.ts';
import { createSecrets } from './secrets.ts';
import { connectTemporal } from './temporal/client.ts';

/** Less than the time in which a request must be answered. */
const PATIENCE_MS = 20_000;
/** Less than proxies let a connection be silent. */
const HEARTBEAT_MS = 15_000;

const config = loadConfig();
const logger = pino({ level: config.LOG_LEVEL, name: 'api' });
const { db, pool, close } = connect(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
await assertSchemaKnown(db);

const tokens = createTokens(config.JWT_SECRET);
const keys = createKeyVerifier(db, tokens);
const temporal = connectTemporal(config);
const egress = createEgress({ allow: config.EGRESS_ALLOW });
const operatorsEgress = createEgress({ allow: ANYWHERE });
const mediaLinks = createMediaLinks(config.JWT_SECRET, config.PUBLIC_URL);
const deps = {
  config,
  db,
  tokens,
  keys,
  rateLimits: createRateLimits(config, pool),
  secrets: createSecrets(config.SECRET_KEYS),
  temporal,
  egress,
  fareHarbor: createFareHarbor(operatorsEgress, config.FAREHARBOR_BASE_URL),
  checkIntegration: createIntegrationCheck(egress),
  callbacks: createCallbackUrls(config.JWT_SECRET, config.PUBLIC_URL),
  patienceMs: PATIENCE_MS,
  dns: createDns({ servers: config.DNS_SERVERS }),
  storage: createStorage(config),
  mediaLinks,
  liveStreams: createLiveStreams(db, mediaLinks, logger),
  heartbeatMs: HEARTBEAT_MS,
};

const app = await createApp(deps, logger);
const ops = config.OPS_PORT === undefined ? undefined : await createOpsApp(deps, app.metrics);
const revocations = listen(config.DATABASE_URL, 'keys_changed', keys.forget);
const liveEvents = listen(config.DATABASE_URL, LIVE_CHANNEL, deps.liveStreams.wake);

await ops?.listen({ host: config.HOST, port: config.OPS_PORT });
await app.listen({ host: config.HOST, port: config.PORT });

onStopSignal(logger, async () => {
  await app.close();
  await Promise.all([
    ops?.close(),
    revocations.close(),
    liveEvents.close(),
    deps.liveStreams.close(),
    temporal.close(),
    egress.close(),
    operatorsEgress.close(),
    deps.storage.close(),
  ]);
  await close();
});
