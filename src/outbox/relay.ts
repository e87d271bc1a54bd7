import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../db/connect.ts';
import { listen } from '../db/listen.ts';
import type { FinishedBatch } from './claim.ts';
import { commandSender, type HeadingSource, NO_HEADINGS } from './dispatching.ts';
import { eventExpander } from './expansion.ts';
import type { InlineWork } from './inline-work.ts';
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
  inline?: InlineWork;
  /** The headings of workflows. Without it, the title of each is the summary of its command. */
  listHeadings?: HeadingSource;
  /** Whether the first task of a workflow may go to a worker of this process at once. */
  startsEagerly?: boolean;
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
  inline = new Map(),
  listHeadings = NO_HEADINGS,
  startsEagerly = true,
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
    events: () => waking.events.wakeUp({ isLocal: true }),
    commands: () => waking.commands.wakeUp({ isLocal: true }),
  });

  const startLoop = (kind: OutboxKind, work: Loop['work']) =>
    runLoop({ db, kind, waking: waking[kind], work, stop: stopping.signal, log });
  const sender = { db: commandDb, inline, listHeadings, startsEagerly, log };
  const loops = [
    ...Array.from({ length: EVENT_LOOPS }, () => startLoop('events', eventExpander(db, reactions, log))),
    ...Array.from({ length: COMMAND_LOOPS }, () => startLoop('commands', commandSender(sender, temporal))),
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

interface Loop {
  db: Db;
  kind: OutboxKind;
  waking: Waking;
  /** Works off one batch. Resolves to undefined if there was none. */
  work: () => Promise<FinishedBatch | undefined>;
  stop: AbortSignal;
  log: Log;
}

/**
 * Works until nothing is left. From the second batch on, it wakes another loop to help, or else those of other
 * processes. Then waits for the next wake-up or the sweep. A wake-up during the work is not lost.
 */
async function runLoop({ db, kind, waking, work, stop, log }: Loop): Promise<void> {
  let batches = 0;
  while (!stop.aborted) {
    const pass = waking.beginPass();
    try {
      const finished = await work();
      if ((await finished?.row)?.is_more === true) {
        batches++;
        const isHelped = batches === 1 || waking.wakeOne();
        if (!isHelped && batches === 2) wakeAllRelays(db, kind);
        await setImmediate(); // what waits for this commit goes first
        continue;
      }
      const isLocalOnly = waking.consumeLocalWakeUp();
      if (finished === undefined && isLocalOnly) wakeAllRelays(db, kind); // one of another process has it locked
      batches = 0;
    } catch (error) {
      log.warn({ err: error, loop: kind }, 'relay failed; retrying');
      await sleep(BACK_OFF_MS, undefined, { signal: stop }).catch(() => undefined);
      continue;
    }
    await waking.sleep(pass, stop);
  }
}
