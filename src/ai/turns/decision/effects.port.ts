import type { SentenceKey } from '../../../recognition/sentences.rules.ts';
import type { CallLedger } from '../../calls/ledger.port.ts';
import type { Decision } from '../outcome.rules.ts';
import type { TurnSteps } from '../steps.service.ts';

/** The place of a model's call in the usage. A preview's has no session. */
export interface Billing {
  sessionId: string | null;
  turnId: string;
  /** Replaces the purpose of the step. */
  purpose?: 'preview' | 'eval';
}

/** Whether calls may be made now, and the signal to end waiting for them. */
export interface CallLimits {
  callsOut: boolean;
  signal: AbortSignal;
}

/**
 * A decision's view of its conversation's past, and all its permitted changes. A live turn has the database behind it.
 * A preview has memory: it decides by the same code and changes nothing.
 */
export interface TurnEffects {
  billing: Billing;
  ledger: CallLedger;
  /** Finds the call waiting for its customer's yes or no in the messages to answer. */
  findWaiting(): Promise<{ id: string } | undefined>;
  /** Returns whether a call waits for a decision: agents can decide before the question is asked. */
  isWaiting(callId: string): Promise<boolean>;
  decideWaiting(callId: string, decision: 'confirm' | 'reject'): Promise<void>;
  /** Makes the calls confirmed by people, and returns the report for the contact, if there are any. */
  reportCalls(say: (key: SentenceKey) => string, limits: CallLimits): Promise<Decision | undefined>;
  /** Returns whether the AI has quoted texts possibly written by others, such as a crawled page. */
  hasQuotedUntrusted(): Promise<boolean>;
  /** Returns the steps of the turn, with at most `limit` new ones allowed. */
  openSteps(limit: number): Promise<TurnSteps>;
}
