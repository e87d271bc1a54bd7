import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from './connect.ts';

/** Under load, one notification serves all that commit within this time. */
const COALESCE_MS = 5;
/** Postgres takes less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

/** What is to be told next on each channel where a notification is under way. */
const pendingNotifications = new WeakMap<Db, Map<string, Set<string>>>();

/**
 * Tells who listens to a channel to look, after a commit. NOTIFY takes a lock over the whole server at commit, so it is not sent inside the
 * transaction, and one is enough for all that commit while it is under way or has just been sent. Hints, which hold no space, say
 * where to look; a payload without any says everywhere, as when there are too many. A notification can be lost.
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
