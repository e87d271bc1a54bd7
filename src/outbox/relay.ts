import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../db/connect.ts';
import { listen } from '../db/listen.ts';
import type { WorkAtOnce } from './at-once.ts';
import type { Ended } from './claim.ts';
import { commandSender } from './dispatching.ts';
import { eventExpander } from './expansion.ts';
import type { Reactions } from './reactions.ts';
import { OUTBOX_CHANNEL, type OutboxKind, wakeAllRelays, wakeDirectly } from './wake.ts';
import { createWaking, type Waking } from './waking.ts';

const BACK_OFF_MS = 1_000;
const EVENT_LOOPS = 3;
const COMMAND_LOOPS = 2;

type Log = Pick<FastifyBaseLogger, 'warn' | 'error'>;

export interface RelayOptions {
  databaseUrl: string;
  db: Db;
  /** A separate pool, named as the relay's, because its transactions last as long as Temporal's answers. */
  commandDb: Db;
  /** Undefined until Temporal has been reached. */
  temporal: () => Client | undefined;
  reactions: Reactions;
  /** What is done without its workflow where that is possible. */
  atOnce?: WorkAtOnce;
  log: Log;
}

export interface Relay {
  /** Stops after the batches in progress. */
  stop(): Promise<void>;
}

/** Starts the relay: it expands events and hands commands to Temporal. Any number of relays may run at once. */
export function startRelay({
  databaseUrl,
  db,
  commandDb,
  temporal,
  reactions,
  atOnce = new Map(),
  log,
}: RelayOptions): Relay {
  const stopping = new AbortController();
  const waking: Record<OutboxKind, Waking> = {
    events: createWaking(EVENT_LOOPS),
    commands: createWaking(COMMAND_LOOPS),
  };
  const listener = listen(databaseUrl, OUTBOX_CHANNEL, (hints) => {
    for (const kind of ['events', 'commands'] as const) if (hints === '' || hints.includes(kind)) waking[kind].wakeUp();
  });
  const stopWakingDirectly = wakeDirectly(db, {
    events: () => waking.events.wakeUp(true),
    commands: () => waking.commands.wakeUp(true),
  });

  /**
   * Works until nothing is left. From the second batch on, it wakes another loop to help, or else those of other
   * processes. Then waits for the next wake-up or the sweep. A wake-up during the work is not lost.
   */
  const loop = async (kind: OutboxKind, work: () => Promise<Ended | undefined>) => {
    let batches = 0;
    while (!stopping.signal.aborted) {
      const look = waking[kind].look();
      try {
        const ended = await work();
        if ((await ended?.row)?.is_more === true) {
          batches++;
          const isHelped = batches === 1 || waking[kind].wakeOne();
          if (!isHelped && batches === 2) wakeAllRelays(db, kind);
          await setImmediate(); // what waits for this commit goes first
          continue;
        }
        const wasWokenHere = waking[kind].wasWokenHere();
        if (ended === undefined && wasWokenHere) wakeAllRelays(db, kind); // one of another process has it locked
        batches = 0;
      } catch (error) {
        log.warn({ err: error, loop: kind }, 'relay failed; retrying');
        await sleep(BACK_OFF_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
        continue;
      }
      await waking[kind].sleep(look, stopping.signal);
    }
  };

  const claims = new Set<number>();
  const sender = { db: commandDb, atOnce, log };
  const loops = [
    ...Array.from({ length: EVENT_LOOPS }, () => loop('events', eventExpander(db, reactions, log, claims))),
    ...Array.from({ length: COMMAND_LOOPS }, () => loop('commands', commandSender(sender, temporal))),
  ];

  return {
    async stop() {
      stopWakingDirectly();
      stopping.abort();
      for (const { wakeAll } of Object.values(waking)) wakeAll();
      await Promise.all([...loops, listener.close()]);
    },
  };
}
