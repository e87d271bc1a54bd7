import type { Db } from '../../../db/connect.ts';
import { afterCommit, notifyAfterCommit, poolOf } from '../../../db/transaction.ts';

/** The channel of hints about queued runs. Each names an org. */
export const RUNS_CHANNEL = 'runs';

/** The run starter of this process, if it has one, by its pool. */
const ownStarters = new WeakMap<Db, (orgId: string) => void>();

/** Lets transactions of a pool wake a run starter of this process, without a notification. Returns what ends that. */
export function wakeStarterDirectly(db: Db, wake: (orgId: string) => void): () => void {
  ownStarters.set(db, wake);
  return () => ownStarters.delete(db);
}

/** Has a run starter look for queued runs of an org once the transaction has committed. Its sweep finds them without it. */
export function wakeStarters(db: Db, orgId: string): void {
  const wake = ownStarters.get(poolOf(db));
  if (wake === undefined) notifyAfterCommit(db, RUNS_CHANNEL, orgId);
  else afterCommit(db, () => wake(orgId));
}
