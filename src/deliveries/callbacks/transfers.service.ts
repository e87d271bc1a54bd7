import type { Db } from '../../db/connect.ts';
import { findPhoneAgent } from '../../phone-agents/service.ts';
import type { TransferRequest } from '../../providers/sending.ts';
import { answerWithTransfer } from '../../providers/vapi/callbacks.ts';
import { findReportedCall } from './call-reports.queries.ts';
import { announceMoment } from './call-reports.service.ts';
import type { TransferHoldPort } from './transfer-hold.port.ts';

/** For the assistant, which says it in its own words. */
const NOBODY = { error: 'There is nobody to transfer the call to' };

export type TransferAnswer = ReturnType<typeof answerWithTransfer> | typeof NOBODY;

/**
 * Returns where a call is to be transferred: to the number of its agent, once the workflows before the transfer have
 * ended, or after 30 s.
 */
export async function answerTransfer(
  db: Db,
  transferHold: TransferHoldPort,
  orgId: string,
  { agentId = '', call: report, ...ref }: TransferRequest,
): Promise<TransferAnswer> {
  const call = await findReportedCall(db, orgId, { provider: 'vapi', ...ref });
  const number = (await findPhoneAgent(db, orgId, agentId))?.handoff_phone_number ?? null;
  if (call === undefined || number === null) return NOBODY;
  const told = { ...report, transferred_to: number };
  const payload = await announceMoment(db, orgId, call, { moment: 'pre-voice-call-transfer', call: told });
  await transferHold.hold(orgId, { callId: call.id, payload, depth: call.depth });
  return answerWithTransfer(number);
}
