import { endCallSession, openCallSession } from '../../conversations/messages/phone-calls.service.ts';
import { listSessionIdsOfMessages } from '../../conversations/sessions/snapshots.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { announce } from '../../outbox/announcing.ts';
import { atDepth } from '../../outbox/causation.ts';
import type { EventPayloads } from '../../outbox/events.ts';
import type { CallEnd, CallReport } from '../../providers/sending.ts';
import { deleteCallUnderWay, insertCallUnderWay } from '../inbound/calls/shared.queries.ts';
import { findReportedCall, type ReportedCall } from './call-reports.queries.ts';

type Report = Pick<CallReport, 'moment' | 'call' | 'end'>;

/**
 * Announces a provider's reports about calls, as caused by what requested the call, and ends the sessions of calls that
 * have ended. Skips calls of other orgs. A repeated report is announced again, and changes no session.
 */
export async function receiveCallReports(
  trx: Trx,
  orgId: string,
  provider: string,
  reports: CallReport[],
): Promise<void> {
  for (const { providerId, deliveryId, ...report } of reports) {
    const call = await findReportedCall(trx, orgId, { provider, providerId, deliveryId });
    if (call === undefined) continue;
    const { session_id } = await announceMoment(trx, orgId, call, report);
    const { end } = report;
    if (end !== undefined) await deleteCallUnderWay(trx, orgId, call.id);
    else if (session_id !== null) await insertCallUnderWay(trx, orgId, { id: call.id, providerId });
    if (end === undefined || session_id === null) continue;
    const ended = {
      ...end,
      id: call.id,
      provider,
      summary: textOf(report.call.summary),
      note: noteOf(report.call, end),
    };
    await atDepth(trx, call.depth, () => endCallSession(trx, orgId, session_id, ended));
  }
}

/** Announces a moment of a call, as caused by what requested the call. Returns what is announced. */
export function announceMoment(
  db: Db,
  orgId: string,
  call: ReportedCall,
  report: Report,
): Promise<EventPayloads[CallReport['moment']]> {
  const { id, contact_id, depth, direction, from, to } = call;
  return inTransaction(db, async (trx) => {
    const session_id = await sessionOf(trx, orgId, call, report);
    const parties = { direction, ...(from !== undefined && { from }), to };
    const payload = { contact_id, session_id, call: { ...report.call, ...parties } };
    await atDepth(trx, depth, () => announce(trx, orgId, [{ type: report.moment, subject_id: id, payload }]));
    return payload;
  });
}

/** Returns the session of a call. A call of a sequence gets one once somebody has answered. */
async function sessionOf(trx: Trx, orgId: string, call: ReportedCall, { end }: Report): Promise<string | null> {
  if (end?.outcome !== 'failed') return getSessionOfCall(trx, orgId, call);
  return findSessionOfCall(trx, orgId, call.id);
}

const findSessionOfCall = async (trx: Trx, orgId: string, id: string): Promise<string | null> =>
  (await listSessionIdsOfMessages(trx, orgId, [id])).get(id) ?? null;

/**
 * Returns the session of a call that somebody has answered. Opens it if we have called. A call that came in without a
 * session is that of a blocked contact.
 */
export async function getSessionOfCall(
  trx: Trx,
  orgId: string,
  { id, contact_id: contactId, to, depth, direction }: ReportedCall,
): Promise<string | null> {
  if (direction === 'inbound') return findSessionOfCall(trx, orgId, id);
  let sessionId = null;
  await atDepth(trx, depth, async () => {
    sessionId = await openCallSession(trx, orgId, { id, contactId, content: `Call to ${to}` });
  });
  return sessionId;
}

const textOf = (value: CallReport['call'][string] | undefined): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null;

/** Returns what the team should know of an ended call. */
function noteOf(
  { ended_reason, duration_seconds, recording_url }: CallReport['call'],
  { said, unsaid }: CallEnd,
): string {
  const recording = textOf(recording_url);
  return [
    `The call has ended: ${ended_reason ?? 'for no known reason'}`,
    ...(typeof duration_seconds === 'number' ? [`It took ${Math.round(duration_seconds)} seconds`] : []),
    ...(recording !== null && /^https?:\/\//.test(recording) ? [`Recording: ${recording}`] : []),
    ...(unsaid > 0 ? [`${unsaid} messages after the first ${said.length} are not shown`] : []),
  ].join('\n');
}
