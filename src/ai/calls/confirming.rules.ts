export const CONFIRMERS = ['customer', 'agent'] as const;
export type Confirmer = (typeof CONFIRMERS)[number];

export const CONFIRMATION_REASONS = ['limits', 'form', 'always', 'untrusted', 'rejected_before'] as const;
export type ConfirmationReason = (typeof CONFIRMATION_REASONS)[number];

export interface ConfirmationFacts {
  exceedsLimits: boolean;
  needsForm: boolean;
  asksAlways: boolean;
  /** Whether the call changes nothing. */
  isRead: boolean;
  /** Whether the turn has read texts possibly written by others. */
  untrustedRead: boolean;
  /** Whether the same call was rejected before in this conversation. */
  wasRejected: boolean;
}

/**
 * Returns the confirmer of a call, with the reason. Undefined if nobody must. Limits come first: customers cannot lift
 * them.
 */
export function confirmationOf(
  facts: ConfirmationFacts,
): { needs: Confirmer; because: ConfirmationReason } | undefined {
  if (facts.exceedsLimits) return { needs: 'agent', because: 'limits' };
  if (facts.needsForm) return { needs: 'customer', because: 'form' };
  if (facts.asksAlways) return { needs: 'customer', because: 'always' };
  if (facts.untrustedRead && !facts.isRead) return { needs: 'customer', because: 'untrusted' };
  return facts.wasRejected ? { needs: 'customer', because: 'rejected_before' } : undefined;
}
