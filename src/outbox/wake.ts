import type { Db } from '../db/connect.ts';
import { notify } from '../db/notify.ts';

export const OUTBOX_CHANNEL = 'outbox';

/** Wakes the relays after a commit. If the call is lost, the next sweep of a relay finds the rows. */
export const wakeRelay = (db: Db): void => notify(db, OUTBOX_CHANNEL);
