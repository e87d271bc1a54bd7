import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

export const OUTBOX_CHANNEL = 'outbox';

/** Under load, one wake-up serves all that commit within this time. */
const PAUSE_MS = 5;

const underWay = new WeakMap<Db, { isAskedAgain: boolean }>();

/**
 * Tells the relays to look, after a commit. NOTIFY takes a lock over the whole server at commit, so it is not sent inside the
 * transaction, and one is enough for all that commit while it is under way or has just been sent. A lost one costs the wait for a relay's next sweep.
 */
export function wakeRelay(db: Db): void {
  const current = underWay.get(db);
  if (current !== undefined) {
    current.isAskedAgain = true;
    return;
  }
  const state = { isAskedAgain: false };
  underWay.set(db, state);
  void sql`select pg_notify(${OUTBOX_CHANNEL}, '')`
    .execute(db)
    .catch(() => undefined)
    .then(() => sleep(PAUSE_MS))
    .then(() => {
      underWay.delete(db);
      if (state.isAskedAgain) wakeRelay(db);
    });
}
