import type { Db } from '../db/connect.ts';
import { notify } from '../db/notify.ts';

export const OUTBOX_CHANNEL = 'outbox';

/** Tells the relays to look, after a commit. A lost call costs the wait for a relay's next sweep. */
export const wakeRelay = (db: Db): void => notify(db, OUTBOX_CHANNEL);
