import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { startRunStarter } from '../../../src/automations/runs/inline/starter.ts';
import { connect, RELAY_APPLICATION_NAME } from '../../../src/db/connect.ts';
import { startRelay } from '../../../src/outbox/relay.ts';
import type { Tracing } from '../../../src/tracing/sdk.ts';
import { createWorkerDeps } from '../../../worker/deps.ts';
import { createHeadings } from '../../../worker/headings.ts';
import { createInlineWork } from '../../../worker/inline-work.ts';
import { createReactions } from '../../../worker/reactions.ts';
import { runWorkers } from '../../../worker/run.ts';
import { connectWorkers } from '../../../worker/temporal.ts';
import { createWorkerTracing } from '../../../worker/tracing.ts';
import { startMailSink } from '../fakes/mail-sink.ts';
import { startApi } from './api.ts';
import { recordHistories } from './record-histories.ts';
import { temporalAddress, testNamespace, testWorkflowBundle } from './servers.ts';
import { installRuntime } from './temporal-runtime.ts';

const MIN_POLL_MS = 25;
const MAX_POLL_MS = 250;
/** The pause before the next look, as a share of the time waited so far. A look costs as much as a request. */
const SHARE_OF_WAIT = 0.1;
const MAX_WAIT_MS = 80_000;

export type Stack = Awaited<ReturnType<typeof startStack>>;

/**
 * The api of startApi with the relay, the workers and a mail sink: the whole of Switchboard in this process. Close it
 * after use.
 */
export async function startStack({
  env = {},
  tracing: recorded,
}: {
  env?: Record<string, string>;
  tracing?: Tracing;
} = {}) {
  installRuntime();
  const sink = await startMailSink();
  const temporalEnv = { TEMPORAL_ADDRESS: temporalAddress(), TEMPORAL_NAMESPACE: testNamespace() };
  const api = await startApi({ env: { SMTP_URL: sink.url, ...temporalEnv, ...env } });
  const { config, db } = api;
  const { quota } = api.deps;
  const relayConnection = connect(config.DATABASE_URL, { poolSize: 4, applicationName: RELAY_APPLICATION_NAME });
  const tracing = await createWorkerTracing(recorded);
  const temporal = await connectWorkers(config, tracing);
  const log = pino({ level: 'silent' });
  const { deps, inboundPort, stopReceiving, close } = await createWorkerDeps(config, db, {
    quota,
    log,
    receivesMail: true,
  });
  const workers = await runWorkers({
    connection: temporal.connection,
    namespace: config.TEMPORAL_NAMESPACE,
    workflowBundle: testWorkflowBundle(),
    queues: config.WORKER_QUEUES,
    graceSeconds: 10,
    deps,
    quota,
    tracing,
  });
  const relay = startRelay({
    databaseUrl: config.DATABASE_URL,
    db,
    commandDb: relayConnection.db,
    temporal: () => temporal.client,
    reactions: createReactions(quota, config, deps),
    inline: createInlineWork(deps),
    listHeadings: createHeadings(config.dashboardUrl),
    log,
  });
  const runStarter = startRunStarter({ databaseUrl: config.DATABASE_URL, db, deps, quota, log, stopMs: 6_000 });

  return {
    ...api,
    sink,
    /** Where mail comes in; undefined unless INBOUND_DOMAIN is set. */
    inboundPort,
    temporal: temporal.client,
    async close() {
      await stopReceiving();
      await Promise.all([runStarter.stop(), relay.stop()]);
      await workers.stop();
      if (process.env.RECORD_HISTORIES) await recordHistories(temporal.client, process.env.RECORD_HISTORIES);
      await Promise.all([close(), temporal.connection.close(), relayConnection.close(), sink.close()]);
      await api.close();
    },
  };
}

/** Repeats assertions until they pass. Throws the last error after 80 s. */
export async function untilPasses(assertions: () => Promise<void> | void): Promise<void> {
  let failure: unknown;
  const havePassed = async () => {
    try {
      await assertions();
      return true;
    } catch (error) {
      failure = error;
      return false;
    }
  };
  await eventually('assertions to pass', havePassed).catch(() => {
    throw failure;
  });
}

/** Waits until `look` gives something, and looks less often the longer it takes. Throws, saying what for, after 80 s. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined | false> | T | undefined | false) {
  const startedAt = Date.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > MAX_WAIT_MS) throw new Error(`Waited in vain for ${what}`);
    await sleep(Math.min(MIN_POLL_MS + waitedMs * SHARE_OF_WAIT, MAX_POLL_MS));
  }
}
