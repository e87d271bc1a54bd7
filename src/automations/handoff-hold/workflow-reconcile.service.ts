import { wakeHandoffHold } from '../runs/finish-run.service.ts';
import type { HandoffHoldRef } from './contract.ts';

export { listHeldHandoffs } from '../handoff-hold.queries.ts';

/** Returns the command to look at a held handoff again. */
export const wakeHold = ({ orgId, sessionId, holdId }: HandoffHoldRef) => wakeHandoffHold(orgId, sessionId, holdId);
