import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { Db } from './connect.ts';

/** Under load, one statement tells of all transactions committed within this time. */
const COALESCE_MS = 5;
/** Postgres accepts less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

/** What to send next, while notifications are being sent. */
const pendingNotifications = new WeakMap<Db, Hints>();

/** The hints for each channel. */
export type Hints = Map<string, Set<string>>;

/** Sends a statement. Rejects if it fails. */
type Send = (statement: CompiledQuery) => Promise<unknown>;

/**
 * Notifies the listeners of a channel after a commit.
 * NOTIFY takes a server-wide lock at commit, so it is not sent inside the transaction. One statement tells all channels
 * of all commits during the one before it and shortly after that.
 * Hints contain no spaces and name the changed rows. An empty payload means "anything may have changed", and is also
 * sent when there are too many hints. A notification can be lost.
 */
export function notify(db: Db, channel: string, hint = ''): void {
  const waiting = pendingNotifications.get(db);
  const hints: Hints = waiting ?? new Map();
  addHint(hints, channel, hint);
  if (waiting !== undefined) return;
  pendingNotifications.set(db, hints);
  queueMicrotask(() => void sendAll(db, byPool(db))); // what the same commit has to tell goes along
}

/**
 * Notifies like `notify`, by `send`, unless notifications of this pool are being sent just now. Returns whether it does.
 * Those of commits until the answer follow it.
 */
export function notifyBy(db: Db, hints: Hints, send: Send): boolean {
  if (pendingNotifications.has(db)) return false;
  pendingNotifications.set(db, hints);
  void sendAll(db, send);
  return true;
}

export function addHint(hints: Hints, channel: string, hint: string): void {
  const ofChannel = hints.get(channel) ?? new Set();
  hints.set(channel, ofChannel.add(hint));
}

const byPool =
  (db: Db): Send =>
  (statement) =>
    db.executeQuery(statement);

/** Sends what waits, until nothing does: the first by `send`. */
async function sendAll(db: Db, send: Send): Promise<void> {
  for (let by = send; ; by = byPool(db)) {
    const hints = pendingNotifications.get(db);
    if (hints === undefined || hints.size === 0) break;
    pendingNotifications.set(db, new Map());
    await by(statementOf(hints)).catch(() => undefined);
    await sleep(COALESCE_MS);
  }
  pendingNotifications.delete(db);
}

const statementOf = (hints: Hints): CompiledQuery =>
  CompiledQuery.raw(
    'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as hint (channel, payload)',
    [[...hints.keys()], [...hints.values()].map(payloadOf)],
  );

function payloadOf(hints: Set<string>): string {
  const payload = [...hints].join(' ');
  return Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES ? '' : payload;
}
