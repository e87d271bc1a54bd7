import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ReportedStatus } from '../sending/outcomes.rules.ts';
import { applyStatusUpdates, type StatusUpdate } from './status-reports.queries.ts';

/** The order of statuses over a message's life: if a batch has several reports of one message, the last status wins. */
const ORDER: ReportedStatus[] = ['sent', 'delivered', 'read', 'failed', 'bounced'];

/** Receives reports about deliveries from providers or bounced e-mails: in any order, each once, and only forward. */
export function receiveStatusUpdates(db: Db, orgId: string, reports: StatusUpdate[]): Promise<void> {
  const byStatus = Map.groupBy(reports, ({ status }) => status);
  return inTransaction(db, async (trx) => {
    for (const status of ORDER) {
      const some = byStatus.get(status);
      if (some !== undefined) await applyStatusUpdates(trx, orgId, status, some);
    }
  });
}
