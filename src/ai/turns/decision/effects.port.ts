import type { SentenceKey } from '../../../recognition/sentences.rules.ts';
import type { CallLedger } from '../../calls/ledger.port.ts';
import type { Decision } from '../outcome.rules.ts';
import type { TurnSteps } from '../steps.service.ts';

/** Where a call of a model stands in the usage. A preview's has no session. */
export interface Billing {
  sessionId: string | null;
  turnId: string;
  /** Replaces the purpose of the step. */
  purpose?: 'preview' | 'eval';
}

/** Whether calls may be made now, and what ends waiting for them. */
export interface CallLimits {
  callsOut: boolean;
  signal: AbortSignal;
}

/**
 * What a decision reads of its conversation's past, and all that it may change. A live turn has the database behind it;
 * a preview has memory, so that it decides by the same code and changes nothing.
 */
export interface TurnEffects {
  billing: Billing;
  ledger: CallLedger;
  /** Finds the call that waits for its customer, and that a yes or no in the messages to answer is about. */
  findWaiting(): Promise<{ id: string } | undefined>;
  /** Returns whether a call waits for a decision: agents can decide before the question is asked. */
  isWaiting(callId: string): Promise<boolean>;
  decideWaiting(callId: string, decision: 'confirm' | 'reject'): Promise<void>;
  /** Makes the calls that people have confirmed, and returns what the contact is told of them, if there are any. */
  reportCalls(say: (key: SentenceKey) => string, limits: CallLimits): Promise<Decision | undefined>;
  /** Returns whether the AI has quoted what others may have written, such as a crawled page. */
  hasQuotedUntrusted(): Promise<boolean>;
  /** Returns the steps of the turn, of which at most `limit` new ones may be taken. */
  openSteps(limit: number): Promise<TurnSteps>;
}
