import { listSessionIdsOfMessages } from '../../conversations/sessions/snapshots.service.ts';
import type { Trx } from '../../db/connect.ts';
import { announce } from '../../outbox/announcing.ts';
import { atDepth } from '../../outbox/causation.ts';
import type { CallReport } from '../../providers/sending.ts';
import { findReportedCall } from './call-reports.queries.ts';

/**
 * Announces a provider's reports about calls, as caused by what requested the call. Skips calls of other orgs. A repeated
 * report is announced again.
 */
export async function announceCallReports(
  trx: Trx,
  orgId: string,
  provider: string,
  reports: CallReport[],
): Promise<void> {
  for (const { moment, providerId, deliveryId, call } of reports) {
    const called = await findReportedCall(trx, orgId, { provider, providerId, deliveryId });
    if (called === undefined) continue;
    const sessions = await listSessionIdsOfMessages(trx, orgId, [called.id]);
    const payload = {
      contact_id: called.contact_id,
      session_id: sessions.get(called.id) ?? null,
      call: { ...call, to: called.to },
    };
    await atDepth(trx, called.depth, () => announce(trx, orgId, [{ type: moment, subject_id: called.id, payload }]));
  }
}
