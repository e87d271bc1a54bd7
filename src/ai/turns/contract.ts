import type { WorkflowContract } from '../../temporal/contract.ts';

export interface OrgRef {
  orgId: string;
}

export interface SessionRef extends OrgRef {
  sessionId: string;
}

/** Answers the messages of a session's contact, one turn at a time. */
export const ANSWER_SESSION: WorkflowContract<SessionRef> = {
  type: 'answerSession',
  taskQueue: 'interactive',
  workflowId: ({ sessionId }) => `ai-turn/${sessionId}`,
};

/** The turn to do next. */
export interface NextTurn {
  turnId: string;
  /** Counts the turns of the session from 1. */
  number: number;
  /** The time until the contact is taken to have finished writing. */
  dueInMs: number;
}

export interface TurnRef extends SessionRef {
  turnId: string;
}

/** The end of a turn, or the need for another one. */
export type TurnEnd = 'answered' | 'asked' | 'handed_off' | 'skipped' | 'superseded' | 'canceled';

/** The result of a look at a session. */
export interface FoundTurn {
  turn: NextTurn | null;
  /** How the turn ended, or its next step with a third party, if it was due. */
  end?: TurnEnd | StepName;
  /** Whether the org resolves sessions with quiet contacts. */
  mayAssume: boolean;
}

/**
 * The state after an answer: the session is resolved, or it will be after this time. `waitMs` is null if it never is.
 */
export interface AssumedEnd {
  isResolved: boolean;
  waitMs: number | null;
}

/** A step with a call of a third party. The workflow takes each in its own activity. */
export interface StepName {
  step: number;
  purpose: 'gates' | 'search' | 'plan' | 'call' | 'answer';
}
