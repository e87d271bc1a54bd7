import type { Db } from '../db/connect.ts';
import { notify } from '../db/notify.ts';
import { afterCommit, notifyAfterCommit, poolOf } from '../db/transaction.ts';

export const OUTBOX_CHANNEL = 'outbox';
/** What a hint on this channel can name. */
export type OutboxKind = 'events' | 'commands';

/** Wakes the relay of this process. */
type Wakes = Record<OutboxKind, () => void>;

/** The relay of this process, if it has one, by the pool of a transaction. */
const ownRelays = new WeakMap<Db, Wakes>();

/** Lets transactions of a pool wake a relay of this process, without a notification. Returns what ends that. */
export function wakeDirectly(db: Db, wakes: Wakes): () => void {
  ownRelays.set(db, wakes);
  return () => ownRelays.delete(db);
}

/** Wakes a relay for events once the transaction has committed. If it is not told, its next sweep finds the rows. */
export const wakeForEvents = (db: Db): void => wakeRelay(db, 'events');

/** Wakes a relay for commands once the transaction has committed, like wakeForEvents. */
export const wakeForCommands = (db: Db): void => wakeRelay(db, 'commands');

function wakeRelay(db: Db, kind: OutboxKind): void {
  const wakes = ownRelays.get(poolOf(db));
  if (wakes === undefined) notifyAfterCommit(db, OUTBOX_CHANNEL, kind);
  else afterCommit(db, wakes[kind]);
}

/** Wakes the relays of all processes. */
export const wakeAllRelays = (db: Db, kind: OutboxKind): void => notify(db, OUTBOX_CHANNEL, kind);
