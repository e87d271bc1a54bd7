import type { CallRow } from './queries.ts';
import type { Proposal, Refusal } from './service.ts';

/** A call as planning sees it. */
export type LedgerCall = Pick<
  CallRow,
  | 'id'
  | 'action_id'
  | 'operation_id'
  | 'name'
  | 'arguments'
  | 'state'
  | 'status'
  | 'response'
  | 'reason'
  | 'needs'
  | 'needs_because'
>;

export type LedgerProposal = { call: LedgerCall; refusal?: never } | { refusal: Refusal; call?: never };

/** The calls of one conversation: real ones in the database, or those of a preview. */
export interface CallLedger {
  /** Lists the last calls of the conversation, oldest first. */
  list(): Promise<LedgerCall[]>;
  /**
   * Writes a call down before it is made. The same call in the same conversation is returned unchanged. If a change
   * elsewhere follows at once, the turn is not given up for a newer message from then on.
   */
  propose(proposal: Proposal): Promise<LedgerProposal>;
  /** Makes a call, and returns it settled. */
  run(callId: string, signal: AbortSignal): Promise<LedgerCall>;
}
