import type { TurnNews } from '../../conversations/ai/service.ts';
import type { StepName } from './contract.ts';
import type { TurnState } from './states.rules.ts';

const STEPS: Record<StepName['purpose'], string> = {
  gates: 'Reading the message',
  search: 'Searching',
  plan: 'Deciding what to do',
  call: 'Calling an action',
  answer: 'Writing an answer',
};

const STATES: Record<TurnState, string> = {
  waiting: 'Waiting until the contact has finished writing',
  running: 'Looking for an answer',
  answered: 'Answered',
  asked: 'Asked back',
  handed_off: 'Handed off to people',
  skipped: 'Said nothing',
  superseded: 'Begins again for a newer message',
  canceled: 'Given up: people have the session',
};

/** Returns the work of a step, in words for waiting people. */
export const labelOfStep = (purpose: StepName['purpose']): string => STEPS[purpose];

/** Returns the meaning of a turn's state, in words for waiting people. */
export const labelOfState = (state: TurnState): string => STATES[state];

/** Returns the live news of a turn in a state. */
export const newsOf = (turnId: string, state: TurnState): TurnNews => ({
  turnId,
  state,
  label: labelOfState(state),
  key: state,
});
