import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger } from 'fastify';
import { elementAt } from '../checked-access.ts';
import type { Db, Trx } from '../db/connect.ts';
import { runAsWriter } from '../db/current-work.ts';
import { isDatabaseAway } from '../db/failures.ts';
import { listen } from '../db/listen.ts';
import { inSavepoint, inTransaction } from '../db/transaction.ts';
import { NIL_UUID } from '../ids.ts';
import { dispatch, isTemporalAway } from '../temporal/dispatch.ts';
import {
  type AnyClaimedEvent,
  type ClaimedCommand,
  type ClaimedEvent,
  claimCommands,
  claimEvents,
  defer,
  deleteClaimed,
  setEventDepth,
} from './claim.ts';
import type { EventType } from './events.ts';
import { deferInterrupted, deleteClaim, deleteExpanded, insertClaim } from './interruptions.ts';
import { OUTBOX_CHANNEL, type OutboxKind, wakeAllRelays, wakeDirectly } from './wake.ts';
import { createWaking, type Waking } from './waking.ts';

const BACK_OFF_MS = 1_000;
const EVENTS_PER_BATCH = 500;
const EVENT_LOOPS = 3;
const COMMANDS_PER_BATCH = 200;
const COMMAND_LOOPS = 2;
/** More only wait for one another in Temporal, and so does whatever else is asked of it. */
const DISPATCHES_PER_LOOP = 8;

/**
 * Handles all events of one org and type in a batch at once. Runs in the transaction that removes them from the outbox.
 */
export type Reaction<Type extends EventType> = (trx: Trx, orgId: string, events: ClaimedEvent<Type>[]) => Promise<void>;
export type Reactions = { [Type in EventType]?: Reaction<Type>[] };

type Log = Pick<FastifyBaseLogger, 'warn' | 'error'>;

export interface RelayOptions {
  databaseUrl: string;
  db: Db;
  /** A separate pool, named as the relay's, because its transactions last as long as Temporal's answers. */
  commandDb: Db;
  /** Undefined until Temporal has been reached. */
  temporal: () => Client | undefined;
  reactions: Reactions;
  log: Log;
}

export interface Relay {
  /** Stops after the batches in progress. */
  stop(): Promise<void>;
}

/** Starts the relay: it expands events and hands commands to Temporal. Any number of relays may run at once. */
export function startRelay({ databaseUrl, db, commandDb, temporal, reactions, log }: RelayOptions): Relay {
  const stopping = new AbortController();
  const waking: Record<OutboxKind, Waking> = {
    events: createWaking(EVENT_LOOPS),
    commands: createWaking(COMMAND_LOOPS),
  };
  const wakeUp = (kind: OutboxKind) => waking[kind].wakeUp();
  const listener = listen(databaseUrl, OUTBOX_CHANNEL, (hints) => {
    for (const kind of ['events', 'commands'] as const) if (hints === '' || hints.includes(kind)) wakeUp(kind);
  });
  const stopWakingDirectly = wakeDirectly(db, wakeUp);

  /**
   * Works until nothing is left. From the second batch on, it wakes another loop to help, or else those of other
   * processes. Then waits for the next wake-up or the sweep. A wake-up during the work is not lost.
   */
  const loop = async (kind: OutboxKind, work: () => Promise<boolean>) => {
    let batches = 0;
    while (!stopping.signal.aborted) {
      const look = waking[kind].look();
      try {
        if (await work()) {
          batches++;
          const isHelped = batches === 1 || waking[kind].wakeOne();
          if (!isHelped && batches === 2) wakeAllRelays(db, kind);
          await setImmediate(); // what waits for this commit goes first
          continue;
        }
        batches = 0;
      } catch (error) {
        log.warn({ err: error, loop: kind }, 'relay failed; retrying');
        await sleep(BACK_OFF_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
        continue;
      }
      await waking[kind].sleep(look, stopping.signal);
    }
  };

  const loops = [
    ...Array.from({ length: EVENT_LOOPS }, () => loop('events', eventExpander(db, reactions, log))),
    ...Array.from({ length: COMMAND_LOOPS }, () => loop('commands', commandSender(commandDb, temporal, log))),
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

/**
 * Returns a function to expand one batch of events per call, continuing with the next org each time. It resolves to
 * whether there may be more.
 */
function eventExpander(db: Db, reactions: Reactions, log: Log): () => Promise<boolean> {
  const served = { orgId: NIL_UUID as string };
  return async () => {
    const isMore = await expandEvents(db, reactions, log, served);
    if (!isMore) served.orgId = NIL_UUID;
    return isMore;
  };
}

/**
 * Expands one batch of events of the next org, as work that writes for it. Resolves to false if there are none. Events
 * whose expansion has ended a process are deferred first, so that they cannot end one process after the other.
 */
function expandEvents(db: Db, reactions: Reactions, log: Log, served: { orgId: string }): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { events, mayBeInterrupted } = await claimEvents(trx, EVENTS_PER_BATCH, served.orgId);
    if (events.length === 0) return false;
    const { org_id } = elementAt(events, 0);
    served.orgId = org_id; // also if this batch fails: then another org is next
    const ids = events.map(({ id }) => id);
    const interrupted = mayBeInterrupted ? await deferInterrupted(trx, org_id, ids) : 0;
    if (interrupted > 0) {
      log.error({ org_id, events: interrupted }, 'a process ended while it handled events; retrying later');
      return true;
    }
    const claim = insertClaim(db, org_id, ids);
    try {
      const expanded = await runAsWriter(org_id, () => expandBatch(trx, reactions, log, { events, claim }));
      await deleteExpanded(trx, await claim, expanded);
      return true;
    } catch (error) {
      await deleteClaim(db, await claim);
      throw error;
    }
  });
}

/**
 * Expands events of one org once their claim is stored, and returns the ids of those that were. If those of one type
 * fail, they are deferred and block no others.
 */
async function expandBatch(
  trx: Trx,
  reactions: Reactions,
  log: Log,
  { events, claim }: { events: AnyClaimedEvent[]; claim: Promise<unknown> },
): Promise<number[]> {
  const expanded: number[] = [];
  for (const group of groupsOf(events)) {
    const { org_id, type, depth } = elementAt(group, 0);
    const ids = group.map(({ id }) => id);
    try {
      const react = async () => {
        if (depth > 0) await setEventDepth(trx, depth);
        await reactTo(trx, reactions, org_id, { type, events: group });
        if (depth > 0) await setEventDepth(trx, 0);
      };
      await inSavepoint(trx, react, claim);
      expanded.push(...ids);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      log.error({ err: error, org_id, type, events: ids.length }, 'reactions to events failed; retrying later');
      await defer(trx, ids, String(error));
    }
  }
  return expanded;
}

/**
 * Groups events by type and depth. The groups are as few as possible with the events of each subject still in order: a
 * run that an event starts can wait for the next one of the same subject.
 */
function groupsOf(events: AnyClaimedEvent[]): AnyClaimedEvent[][] {
  const groups: { kind: string; events: AnyClaimedEvent[] }[] = [];
  const placeOf = new Map<string, number>();
  for (const event of events) {
    const kind = `${event.type} ${event.depth}`;
    const earliest = placeOf.get(event.subject_id) ?? 0;
    const found = groups.findIndex((group, place) => place >= earliest && group.kind === kind);
    const place = found === -1 ? groups.push({ kind, events: [] }) - 1 : found;
    groups[place]?.events.push(event);
    placeOf.set(event.subject_id, place);
  }
  return groups.map((group) => group.events);
}

/** Calls the reactions to events of one org and type. */
async function reactTo<Type extends EventType>(
  trx: Trx,
  reactions: Reactions,
  orgId: string,
  { type, events }: { type: Type; events: ClaimedEvent<Type>[] },
): Promise<void> {
  for (const react of reactions[type] ?? []) await react(trx, orgId, events);
}

/**
 * Returns a function to send one batch of commands per call, continuing with the next orgs each time. It resolves to
 * whether there may be more, and rejects if Temporal is unavailable.
 */
function commandSender(db: Db, temporal: RelayOptions['temporal'], log: Log): () => Promise<boolean> {
  let served: string = NIL_UUID;
  return async () => {
    const client = temporal();
    if (client === undefined) throw new Error('Temporal is unavailable');
    const { last, isMore } = await sendCommands(db, client, log, served);
    served = last;
    return isMore;
  };
}

async function sendCommands(db: Db, client: Client, log: Log, behind: string) {
  let away: Error | undefined;
  const claimed = await inTransaction(db, async (trx) => {
    const { commands, last } = await claimCommands(trx, COMMANDS_PER_BATCH, behind);
    const queues = Map.groupBy(commands, ({ workflow_id }) => workflow_id).values();
    const sent: number[] = [];

    /** Sends commands in order, up to the first failure. */
    const sendQueue = async (queue: ClaimedCommand[]) => {
      for (const [command, ids] of withoutRepeats(queue)) {
        try {
          await dispatch(client, command);
          sent.push(...ids);
        } catch (error) {
          if (isTemporalAway(error)) {
            away = new Error('Temporal is unavailable', { cause: error });
            return;
          }
          const { id, workflow_id } = command;
          log.error({ err: error, workflow_id, command: id }, 'Temporal rejected a command; retrying later');
          await defer(trx, [id], String(error));
          return;
        }
      }
    };
    const lane = async () => {
      for (const queue of queues) {
        if (away !== undefined) return;
        await sendQueue(queue);
      }
    };
    await Promise.all(Array.from({ length: DISPATCHES_PER_LOOP }, lane));
    await deleteClaimed(trx, sent);
    return { last, isMore: commands.length > 0 };
  });
  if (away !== undefined) throw away;
  return claimed;
}

/** Merges consecutive equal signals: a signal only means "read the database again". */
function withoutRepeats(queue: ClaimedCommand[]): [ClaimedCommand, number[]][] {
  const distinct: [ClaimedCommand, number[]][] = [];
  for (const command of queue) {
    const last = distinct.at(-1);
    if (last !== undefined && command.kind === 'signal' && last[0].signal === command.signal) last[1].push(command.id);
    else distinct.push([command, [command.id]]);
  }
  return distinct;
}
