import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from './connect.ts';

/** Under load, one notification serves all transactions committed within this time. */
const COALESCE_MS = 5;
/** Postgres accepts less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

/** Hints to send next, for each channel with a notification in progress. */
const pendingNotifications = new WeakMap<Db, Map<string, Set<string>>>();

/**
 * Notifies the listeners of a channel after a commit.
 * NOTIFY takes a server-wide lock at commit, so it is not sent inside the transaction. One notification serves all
 * commits during its send and shortly after it.
 * Hints contain no spaces and name the changed rows. An empty payload means "anything may have changed", and is also
 * sent when there are too many hints. A notification can be lost.
 */
export function notify(db: Db, channel: string, hint = ''): void {
  const channels = pendingNotifications.get(db) ?? new Map<string, Set<string>>();
  pendingNotifications.set(db, channels);
  const waiting = channels.get(channel);
  if (waiting !== undefined) {
    waiting.add(hint);
    return;
  }
  const next = new Set<string>();
  channels.set(channel, next);
  void send(db, channel, hint)
    .catch(() => undefined)
    .then(() => sleep(COALESCE_MS))
    .then(() => {
      channels.delete(channel);
      if (next.size > 0) notify(db, channel, payloadOf(next));
    });
}

const send = (db: Db, channel: string, payload: string) => sql`select pg_notify(${channel}, ${payload})`.execute(db);

function payloadOf(hints: Set<string>): string {
  const payload = [...hints].join(' ');
  return Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES ? '' : payload;
}
