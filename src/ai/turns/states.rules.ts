/** The states of a turn. `waiting` until the contact has finished writing, then `running`. All others are ends. */
export const TURN_STATES = [
  'waiting',
  'running',
  'answered',
  'asked',
  'handed_off',
  'skipped',
  'superseded',
  'canceled',
] as const;
export type TurnState = (typeof TURN_STATES)[number];

/** The notification channel of ended turns, each as its session's id. */
export const TURNS_CHANNEL = 'ai_turns';
