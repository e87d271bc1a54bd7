import type { Db } from '../db/connect.ts';
import { notify } from '../db/notify.ts';

export const OUTBOX_CHANNEL = 'outbox';
/** What a hint on this channel can name. */
export type OutboxKind = 'events' | 'commands';

/** Wakes the relays for events after a commit. If the call is lost, the next sweep of a relay finds the rows. */
export const wakeForEvents = (db: Db): void => notify(db, OUTBOX_CHANNEL, 'events' satisfies OutboxKind);

/** Wakes the relays for commands after a commit, like wakeForEvents. */
export const wakeForCommands = (db: Db): void => notify(db, OUTBOX_CHANNEL, 'commands' satisfies OutboxKind);
