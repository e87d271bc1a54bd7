import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ReportedStatus } from '../sending/outcomes.rules.ts';
import { applyStatusUpdates, type StatusUpdate } from './status-reports.queries.ts';

/** In the order in which a message goes through them, so that a batch that holds several for one message leaves the last. */
const ORDER: ReportedStatus[] = ['sent', 'delivered', 'read', 'failed', 'bounced'];

/** Takes what providers, or bounced mails, tell about deliveries: in any order, each once, and only forward. */
export function receiveStatusUpdates(db: Db, orgId: string, reports: StatusUpdate[]): Promise<void> {
  const byStatus = Map.groupBy(reports, ({ status }) => status);
  return inTransaction(db, async (trx) => {
    for (const status of ORDER) {
      const some = byStatus.get(status);
      if (some !== undefined) await applyStatusUpdates(trx, orgId, status, some);
    }
  });
}
