import type { SnoozeRef } from '../src/conversations/snooze/contract.ts';
import { endDueSnooze } from '../src/conversations/snooze/service.ts';
import type { Db } from '../src/db/connect.ts';

export interface SnoozeActivityDeps {
  db: Db;
}

export type SnoozeActivities = ReturnType<typeof createSnoozeActivities>;

export const createSnoozeActivities = ({ db }: SnoozeActivityDeps) => ({
  /** Ends the snooze of a session if it is due. Returns how long it still lasts. */
  endDueSnooze: (ref: SnoozeRef) => endDueSnooze(db, ref),
});
