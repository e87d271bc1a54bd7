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

/** Returns the end of a turn the AI may not finish: a turn with a change elsewhere was given up. */
export const endOfRefused = <Reason extends string>(turn: { has_effects: boolean }, reason: Reason) => ({
  state: turn.has_effects ? ('canceled' as const) : ('skipped' as const),
  reason,
});

/** A turn is given up for newer messages this many times in a row. Then it answers, and the next turn has the rest. */
const MAX_SUPERSEDES = 2;

/** Returns whether a turn is given up for a newer message: before any effect, and not for ever. */
export const isSuperseded = (
  turn: { last_seq: number; supersedes: number; has_effects: boolean },
  lastSeq: number,
): boolean => lastSeq > turn.last_seq && !turn.has_effects && turn.supersedes < MAX_SUPERSEDES;
