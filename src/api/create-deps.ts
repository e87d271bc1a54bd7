import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from 'pg';
import { confirmationsPort } from '../ai/confirmations/inbox-port.ts';
import { createPhoneTools } from '../ai/phone-tools/service.ts';
import { TURNS_CHANNEL } from '../ai/turns/states.rules.ts';
import { createTurnWaiters } from '../ai/turns/waiting.service.ts';
import { runJobs } from '../automations/runs/bulk/jobs-port.ts';
import { createTransferHold } from '../automations/transfer-hold/service.ts';
import { createWakeUps } from '../concurrency/wake-ups.ts';
import type { Config } from '../config.ts';
import { createBroadcasts } from '../conversations/live/broadcasts.ts';
import { LIVE_CHANNEL } from '../conversations/live/rules.ts';
import { createLiveStreams } from '../conversations/live/streams.service.ts';
import { createPresenceBoard } from '../conversations/presence/presence.ts';
import type { Db } from '../db/connect.ts';
import { turnOffFastPaths } from '../db/fast-paths.ts';
import { listen } from '../db/listen.ts';
import type { WriteQuota } from '../db/write-quota.ts';
import { deliveryJobs } from '../deliveries/bulk/service.ts';
import { createSurveyLinks } from '../deliveries/ledger/delivery-links.ts';
import { contactDeliveriesPort, deliveriesPort } from '../deliveries/ports.ts';
import { createDocumentReader } from '../documents/reader.ts';
import { createConfiguredEmbedder } from '../embedder/embedder.ts';
import { createTokens } from '../keys/tokens.ts';
import { createKeyVerifier } from '../keys/verifier.ts';
import { createSemanticSearch } from '../knowledge/embedding/semantic-search.ts';
import { createMediaLinks } from '../media/links.ts';
import { BROADCAST_CHANNEL, notifiedIn } from '../notifications/service.ts';
import { createCallbackUrls } from '../orgs/integrations/callback-urls.ts';
import { createConnectionCalls } from '../orgs/integrations/calls.service.ts';
import { createPhonePlatforms } from '../phone-agents/platform.ts';
import { createDns } from '../providers/egress/dns.ts';
import { ALLOW_ALL, createEgress } from '../providers/egress/egress.ts';
import { createFareHarbor } from '../providers/fareharbor.ts';
import { createIntegrationCheck } from '../providers/integration-checks.ts';
import { createCountedStorage } from '../providers/storage/counted.ts';
import { createStorage } from '../providers/storage/storage.ts';
import { createSecrets } from '../secrets.ts';
import { createSessionVerifier } from '../sign-in/verifier.ts';
import { findChatContext } from '../widget/visitors.service.ts';
import { contactMergePort } from './contact-merges.ts';
import type { Deps } from './deps.ts';
import { createRateLimits } from './edge/rate-limits.ts';

/** Less than the time limit of a request. */
const PATIENCE_MS = 20_000;
/** Less than the time after which proxies close an idle connection. */
const HEARTBEAT_MS = 15_000;
const FILE_PURGE_MS = 5 * 60_000;
/** Half the time between two samples of the load: a longer delay would look endless. */
const MAX_EVENT_LOOP_DELAY_MS = 2_000;

export interface ApiDeps {
  deps: Deps;
  /** Must be called when the app is closed. The database and Temporal are closed by the caller. */
  close(): Promise<void>;
}

export interface ApiDepsOptions {
  config: Config;
  db: Db;
  pool: Pool;
  quota: WriteQuota;
  temporal: Deps['temporal'];
  logger: FastifyBaseLogger;
  /** Replaces dependencies of the same name. */
  replaced?: Partial<Deps>;
}

/**
 * Creates the dependencies of the api's routes from the configuration, and listens for changed keys and live events.
 */
export function createApiDeps({ config, db, pool, quota, temporal, logger, replaced = {} }: ApiDepsOptions): ApiDeps {
  if (config.FAST_PATHS === 'off') turnOffFastPaths(db);
  const tokens = createTokens(config.signingSecrets);
  const keys = createKeyVerifier(db, tokens);
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  const operatorsEgress = createEgress({ allow: ALLOW_ALL });
  const mediaLinks = createMediaLinks(config.signingSecrets, config.PUBLIC_URL);
  const closing = new AbortController();
  const waiters = createTurnWaiters(closing.signal, logger);
  const outgoing = { egress, secrets: createSecrets(config.SECRET_KEYS), calls: createConnectionCalls(db, logger) };
  const embedder = createConfiguredEmbedder(config, logger);
  const semantics = createSemanticSearch({ ...outgoing, embedder });
  const broadcasts = createBroadcasts();
  const callbacks = createCallbackUrls(config.signingSecrets, config.PUBLIC_URL);
  const deps: Deps = {
    config,
    db,
    pool,
    tokens,
    keys,
    sessions: createSessionVerifier(db, keys, config),
    rateLimits: createRateLimits(config, pool),
    quota,
    ...outgoing,
    embedder,
    semantics,
    temporal,
    fareHarbor: createFareHarbor(operatorsEgress, config.FAREHARBOR_BASE_URL),
    checkIntegration: createIntegrationCheck(egress, config.HUBSPOT_TOKEN_PATH),
    callbacks,
    maxWaitMs: PATIENCE_MS,
    closing,
    dns: createDns({ servers: config.DNS_SERVERS }),
    documents: createDocumentReader(),
    storage: createCountedStorage(createStorage(config), quota.add),
    mediaLinks,
    deliveries: deliveriesPort,
    surveyLinks: createSurveyLinks(config.signingSecrets, config.PUBLIC_URL),
    contactDeliveries: contactDeliveriesPort,
    contactMerges: contactMergePort,
    sending: { mediaLinks, isDevelopment: config.DEVELOPMENT, deliveries: deliveriesPort },
    phonePlatforms: createPhonePlatforms({ db, ...outgoing, callbacks }),
    phoneTools: createPhoneTools({ db, ...outgoing, semantics }),
    transferHold: createTransferHold({ db, quota, closing: closing.signal }),
    liveStreams: createLiveStreams({ db, links: mediaLinks, log: logger, confirmations: confirmationsPort }),
    broadcasts,
    presence: createPresenceBoard(db, broadcasts),
    chatContextOf: findChatContext,
    answers: waiters,
    confirmations: confirmationsPort,
    otherJobs: [deliveryJobs, runJobs],
    callWaiters: waiters,
    widgetPolls: createWakeUps(closing.signal),
    filePurgeMs: FILE_PURGE_MS,
    heartbeatMs: HEARTBEAT_MS,
    maxEventLoopDelayMs: MAX_EVENT_LOOP_DELAY_MS,
    ...replaced,
  };
  const revocations = listen(config.DATABASE_URL, 'keys_changed', deps.keys.clearCache);
  const liveEvents = listen(config.DATABASE_URL, LIVE_CHANNEL, (hints) => {
    deps.liveStreams.wake(hints);
    deps.widgetPolls.wake(hints);
  });
  const broadcastHints = listen(config.DATABASE_URL, BROADCAST_CHANNEL, (hints) => {
    deps.presence.receive(hints);
    deps.widgetPolls.wake(hints);
    for (const { orgId, memberId } of notifiedIn(hints))
      deps.broadcasts.send({ orgId, memberId, topic: 'notifications', key: 'news', type: 'notification', data: {} });
  });
  const endedTurns = listen(config.DATABASE_URL, TURNS_CHANNEL, waiters.wake);
  return {
    deps,
    async close() {
      embedder.close();
      deps.presence.close();
      const listeners = [revocations, liveEvents, broadcastHints, endedTurns];
      await Promise.all(
        [...listeners, deps.liveStreams, egress, operatorsEgress, deps.calls, deps.storage, deps.documents].map((one) =>
          one.close(),
        ),
      );
    },
  };
}
