import type { Db } from '../db/connect.ts';
import { notify } from '../db/notify.ts';

export const OUTBOX_CHANNEL = 'outbox';
/** What a hint on this channel can name. */
export type OutboxKind = 'events' | 'commands';

/** Wakes a relay of this process. */
type Wake = (kind: OutboxKind) => void;

/** The relay of this process, if it has one, by the pool of a transaction. */
const ownRelays = new WeakMap<Db, Wake>();

/** Lets transactions of a pool wake a relay of this process, without a notification. Returns what ends that. */
export function wakeDirectly(db: Db, wake: Wake): () => void {
  ownRelays.set(db, wake);
  return () => ownRelays.delete(db);
}

/** Wakes a relay for events after a commit. If the call is lost, the next sweep of a relay finds the rows. */
export const wakeForEvents = (db: Db): void => wakeRelay(db, 'events');

/** Wakes a relay for commands after a commit, like wakeForEvents. */
export const wakeForCommands = (db: Db): void => wakeRelay(db, 'commands');

function wakeRelay(db: Db, kind: OutboxKind): void {
  const wake = ownRelays.get(db);
  if (wake === undefined) wakeAllRelays(db, kind);
  else wake(kind);
}

/** Wakes the relays of all processes. */
export const wakeAllRelays = (db: Db, kind: OutboxKind): void => notify(db, OUTBOX_CHANNEL, kind);
