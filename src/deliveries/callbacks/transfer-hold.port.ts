import type { EventPayloads } from '../../outbox/events.ts';

/** A transfer of a call that was announced as `pre-voice-call-transfer`. */
export interface HeldTransfer {
  callId: string;
  payload: EventPayloads['pre-voice-call-transfer'];
  /** The number of customers' workflow runs in the chain of its causes. */
  depth: number;
}

/** What transfers of calls need of customers' workflows, a domain after theirs. */
export interface TransferHoldPort {
  /** Waits until the workflows before a transfer have ended, and at most 30 s. Repeated, it starts none again. */
  hold(orgId: string, transfer: HeldTransfer): Promise<void>;
}
