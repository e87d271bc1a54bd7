import { type AnswerFeedback, NO_FEEDBACK, shiftOf } from './feedback.rules.ts';

/**
 * The threshold of an org that is not calibrated. On questions of two help centers it gave fewer than 5 % wrong answers
 * to questions whose article was taken away.
 */
export const DEFAULT_THRESHOLD = 1.8;

/** The default counts like this many measured questions, so that a few questions do not decide alone. */
const DEFAULT_WEIGHT = 5;

/** One of the org's own titles or headings, asked as a question. */
export interface AskedHeading {
  /** The confidence of the best passage without the heading's own item. An answer would be wrong. */
  hidden: number;
  /** The confidence of the best passage of all. */
  shown: number;
  /** Whether the best passage of all is of the heading's item. */
  isRight: boolean;
}

/** What a calibration has measured. Shares are from 0 to 1. */
export interface CalibrationReport {
  questions: number;
  max_wrong: number;
  /** The share of questions that got an answer while their item was hidden. */
  wrong_share: number;
  /** The share of questions that got an answer while their item was there. */
  answered_share: number;
  /** The share of right items among those answers. Null without any. */
  right_share: number | null;
  /** The threshold before the feedback. */
  measured_threshold: number;
  /** What became of answers, and by which share it moved the threshold. */
  feedback: (AnswerFeedback & { shift: number }) | null;
}

/**
 * Returns the lowest threshold from which at most `maxWrong` wrong answers are to be expected among further questions, and
 * what was measured with it. One more wrong answer than was seen is expected of n + 1 questions. With few questions it is
 * drawn towards the default. Feedback on answers then moves it. What is reported was measured after that.
 */
export function calibrate(
  asked: AskedHeading[],
  maxWrong: number,
  feedback: AnswerFeedback = NO_FEEDBACK,
): { threshold: number; report: CalibrationReport } {
  const hidden = asked.map((one) => one.hidden).sort((a, b) => b - a);
  const allowed = Math.max(0, Math.floor((hidden.length + 1) * maxWrong) - 1);
  const measured = hidden[allowed] ?? DEFAULT_THRESHOLD;
  const weighted = (measured * asked.length + DEFAULT_THRESHOLD * DEFAULT_WEIGHT) / (asked.length + DEFAULT_WEIGHT);
  const measuredThreshold = weighted + 1e-6;
  const shift = shiftOf(feedback, maxWrong);
  const threshold = measuredThreshold * (1 + shift);
  const answered = asked.filter(({ shown }) => shown >= threshold);
  const share = (count: number) => (asked.length === 0 ? 0 : count / asked.length);
  return {
    threshold,
    report: {
      questions: asked.length,
      max_wrong: maxWrong,
      wrong_share: share(asked.filter((one) => one.hidden >= threshold).length),
      answered_share: share(answered.length),
      right_share: answered.length === 0 ? null : answered.filter(({ isRight }) => isRight).length / answered.length,
      measured_threshold: measuredThreshold,
      feedback: { ...feedback, shift },
    },
  };
}

/** A change of the index is large from this share of its passages on. */
const LARGE_SHARE = 0.2;
/** Fewer passages are never a large change. */
const MIN_LARGE_CHANGE = 50;

/** Returns whether an index of this many passages has changed so much that its threshold has to be measured again. */
export const isLargeChange = ({ added, removed }: { added: number; removed: number }, passages: number): boolean =>
  added + removed >= Math.max(MIN_LARGE_CHANGE, passages * LARGE_SHARE);
