import { listSessionIdsOfMessages } from '../../conversations/sessions/snapshots.service.ts';
import type { Trx } from '../../db/connect.ts';
import { announce } from '../../outbox/events.ts';
import type { CallReport } from '../../providers/sending.ts';
import { findReportedCall } from './call-reports.queries.ts';

/** Tells of what a provider reports of calls. Calls that are not the org's are left out; the same report may be told of twice. */
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
    await announce(trx, orgId, moment, [{ subject_id: called.id, payload }]);
  }
}
