import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { unavailable } from '../../errors.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { SEND_MESSAGE } from '../contract.ts';
import type { ReportedStatus } from '../sending/outcomes.rules.ts';
import { applyStatusUpdates, requeueWithoutFiles, type StatusUpdate } from './status-reports.queries.ts';

/** The order of statuses over a message's life: if a batch has several reports of one message, the last status wins. */
const ORDER: ReportedStatus[] = ['sent', 'delivered', 'read', 'failed', 'bounced'];

/** A report of a provider. `isFileRefused`: only the files were refused, and a text may still go. */
export type ProviderReport = StatusUpdate & { isFileRefused?: boolean };

/**
 * Receives reports of a provider. A message whose files are refused waits again, with links in their place. A repeated
 * refusal of files that are replaced already says nothing about the message. The transaction of an opt-out holds merges.
 * Throws unavailable while the send is not settled: the provider then reports it again.
 */
export async function receiveProviderReports(trx: Trx, orgId: string, reports: ProviderReport[]): Promise<void> {
  const refusals = reports.filter(
    ({ isFileRefused, deliveryId }) => isFileRefused === true && deliveryId !== undefined,
  );
  const refused = refusals.length === 0 ? [] : await requeueWithoutFiles(trx, orgId, refusals);
  if (refused.some(({ state }) => state === 'sending'))
    throw unavailable('The message of this report is being sent: report it again');
  const requeued = refused.filter(({ state }) => state === 'requeued');
  await enqueue(trx, orgId, ...requeued.map(({ id }) => sendAgain(orgId, id)));
  const replaced = new Set(refused.map(({ id }) => id));
  const isLeft = (report: ProviderReport) => !refusals.includes(report) || !replaced.has(report.deliveryId ?? '');
  await receiveStatusUpdates(trx, orgId, reports.filter(isLeft));
}

const sendAgain = (orgId: string, deliveryId: string) =>
  signalWithStart(SEND_MESSAGE, { orgId, deliveryId }, WAKE, {
    subjectId: deliveryId,
    summary: 'Send a message with links in place of its files',
  });

/**
 * Receives reports about deliveries from providers or bounced e-mails: in any order, each once, and only forward. The
 * transaction of an opt-out holds merges: one under way copies what it has seen.
 */
export function receiveStatusUpdates(db: Db, orgId: string, reports: StatusUpdate[]): Promise<void> {
  const byStatus = Map.groupBy(reports, ({ status }) => status);
  return inTransaction(db, async (trx) => {
    for (const status of ORDER) {
      const some = byStatus.get(status);
      if (some !== undefined) await applyStatusUpdates(trx, orgId, status, some);
    }
  });
}
