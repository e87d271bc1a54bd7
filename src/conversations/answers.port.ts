import type { Db } from '../db/connect.ts';

/** A source of an answer. */
export interface AnswerCitation {
  item_id: string;
  title: string;
  url: string | null;
  quote: string | null;
}

/** The AI's reaction to a contact's message, in the format of the widget's clients. */
export interface AutopilotAnswer {
  /** Why there is no response. */
  code?: 'session_assigned_to_human_agent' | 'response_cancelled' | 'skipping_unuseful_response';
  autopilotResponse?: {
    type: 'text';
    value: { error: false; content: string };
    id: string;
    mightSolveUserIssue: boolean;
    completelyAndFullyCoveredUserIssue: boolean;
    citations: AnswerCitation[];
  };
  /** Whether the turn handed the session off. */
  isHandedOff?: boolean;
}

/** The functions of the AI, a domain above conversations, for their use. It is given as a dependency. */
export interface AnswersPort {
  /**
   * Waits for the end of the turn with a contact's message, for `waitMs` at most. Returns nothing if the AI does not
   * answer on the channel, has not answered in time, or the wait cannot go on. Nothing is lost then: history and polls
   * show the answer.
   */
  waitForAnswer(
    db: Db,
    message: { orgId: string; sessionId: string; messageId: string },
    waitMs: number,
  ): Promise<AutopilotAnswer>;
}
