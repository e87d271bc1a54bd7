/** The states of a call. All from `rejected` on are ends. */
export const CALL_STATES = [
  'proposed',
  'needs_confirmation',
  'confirmed',
  'running',
  'rejected',
  'expired',
  'done',
  'failed',
  'unknown',
] as const;
export type CallState = (typeof CALL_STATES)[number];

/** The states that rule out making the same call again. */
export const ONCE_STATES = ['proposed', 'needs_confirmation', 'confirmed', 'running', 'done', 'unknown'] as const;

/** How a confirmation was given or refused. */
export type DecidedBy = 'link' | 'widget' | 'message' | 'agent';
