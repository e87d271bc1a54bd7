import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from './connect.ts';

/** Under load, one statement tells of all transactions committed within this time. */
const COALESCE_MS = 5;
/** Postgres accepts less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

/** What to send next, while notifications are being sent. */
const pendingNotifications = new WeakMap<Db, Hints>();

/** The hints for each channel. */
type Hints = Map<string, Set<string>>;

/**
 * Notifies the listeners of a channel after a commit.
 * NOTIFY takes a server-wide lock at commit, so it is not sent inside the transaction. One statement tells all channels
 * of all commits during the one before it and shortly after that.
 * Hints contain no spaces and name the changed rows. An empty payload means "anything may have changed", and is also
 * sent when there are too many hints. A notification can be lost.
 */
export function notify(db: Db, channel: string, hint = ''): void {
  const waiting = pendingNotifications.get(db);
  const hints = waiting ?? new Map<string, Set<string>>();
  const ofChannel = hints.get(channel) ?? new Set();
  hints.set(channel, ofChannel.add(hint));
  if (waiting !== undefined) return;
  pendingNotifications.set(db, hints);
  queueMicrotask(() => void sendAll(db)); // what the same commit has to tell goes along
}

/** Sends what waits, until nothing does. */
async function sendAll(db: Db): Promise<void> {
  for (;;) {
    const hints = pendingNotifications.get(db);
    if (hints === undefined || hints.size === 0) break;
    pendingNotifications.set(db, new Map());
    await send(db, hints).catch(() => undefined);
    await sleep(COALESCE_MS);
  }
  pendingNotifications.delete(db);
}

const send = (db: Db, hints: Hints) =>
  sql`select pg_notify(channel, payload) from unnest(${[...hints.keys()]}::text[], ${[...hints.values()].map(payloadOf)}::text[])
    as hint (channel, payload)`.execute(db);

function payloadOf(hints: Set<string>): string {
  const payload = [...hints].join(' ');
  return Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES ? '' : payload;
}
