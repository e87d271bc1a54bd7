/** The outcomes of the answers by quotes of the last 90 days. */
export interface AnswerFeedback {
  answers: number;
  upvotes: number;
  downvotes: number;
  /** Answers without a vote, followed by the contact's request for a person, or by the AI giving up. */
  handoffs: number;
}

export const NO_FEEDBACK: AnswerFeedback = { answers: 0, upvotes: 0, downvotes: 0, handoffs: 0 };

/** Feedback never moves a threshold by more than this share. */
export const MAX_SHIFT = 0.25;
/** This many answers with the allowed share of wrong ones are added, to keep a few votes from deciding alone. */
const PRIOR_ANSWERS = 20;

/**
 * Returns the shift of the threshold by feedback, as a share: the excess of useless answers over `maxWrong`. An upvote
 * counts as one more useful answer. It is never below `-maxWrong`, nor beyond a quarter in either direction.
 */
export function shiftOf({ answers, upvotes, downvotes, handoffs }: AnswerFeedback, maxWrong: number): number {
  const useless = downvotes + handoffs;
  const rate = (useless + PRIOR_ANSWERS * maxWrong) / (answers + upvotes + PRIOR_ANSWERS);
  return Math.min(MAX_SHIFT, Math.max(-MAX_SHIFT, rate - maxWrong));
}
