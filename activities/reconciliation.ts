import type { Db } from '../src/db/connect.ts';
import type { ReconcileSendsInput, ReconciliationProgress } from '../src/deliveries/contract.ts';
import type { MessageSenders } from '../src/deliveries/sending/message-sender.ts';
import { reconcileSends } from '../src/deliveries/sending/reconciliation.service.ts';

export interface ReconciliationActivityDeps {
  db: Db;
  senders: MessageSenders;
}

export type ReconciliationActivities = ReturnType<typeof createReconciliationActivities>;

export const createReconciliationActivities = ({ db, senders }: ReconciliationActivityDeps) => ({
  /** Asks providers once for the outcome of the org's sends without a known answer. Running it twice does no harm. */
  reconcileBatch: ({ orgId }: ReconcileSendsInput): Promise<ReconciliationProgress> =>
    reconcileSends(db, senders, orgId),
});
