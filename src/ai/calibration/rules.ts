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
}

/**
 * Returns the lowest threshold from which at most `maxWrong` wrong answers are to be expected among further questions, and
 * what was measured with it. One more wrong answer than was seen is expected of n + 1 questions. With few questions it is
 * drawn towards the default.
 */
export function calibrate(asked: AskedHeading[], maxWrong: number): { threshold: number; report: CalibrationReport } {
  const hidden = asked.map((one) => one.hidden).sort((a, b) => b - a);
  const allowed = Math.max(0, Math.floor((hidden.length + 1) * maxWrong) - 1);
  const measured = hidden[allowed] ?? DEFAULT_THRESHOLD;
  const weighted = (measured * asked.length + DEFAULT_THRESHOLD * DEFAULT_WEIGHT) / (asked.length + DEFAULT_WEIGHT);
  const threshold = weighted + 1e-6;
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
    },
  };
}
