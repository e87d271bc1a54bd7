import { type AnswerFeedback, NO_FEEDBACK, shiftOf } from './feedback.rules.ts';

/**
 * The threshold of an org that is not calibrated. On questions of two help centers it gave fewer than 5 % wrong answers
 * to questions whose article was taken away.
 */
export const DEFAULT_THRESHOLD = 1.5;

/** How sure it is that no more wrong answers are given than allowed. On average over orgs there are fewer. */
const CERTAINTY = 0.57;

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
 * Returns the lowest threshold from which it is more likely than not that at most `maxWrong` of further questions get a
 * wrong answer, and what was measured with it. With few questions it is raised towards the default. Feedback on answers then
 * moves it. What is reported was measured after that.
 */
export function calibrate(
  asked: AskedHeading[],
  maxWrong: number,
  feedback: AnswerFeedback = NO_FEEDBACK,
): { threshold: number; report: CalibrationReport } {
  const hidden = asked.map((one) => one.hidden).sort((a, b) => b - a);
  const measured = confidenceAt(hidden, allowedOf(hidden.length, maxWrong)) ?? DEFAULT_THRESHOLD;
  const weighted = (measured * asked.length + DEFAULT_THRESHOLD * DEFAULT_WEIGHT) / (asked.length + DEFAULT_WEIGHT);
  const measuredThreshold = Math.max(measured, weighted) + 1e-6;
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

/**
 * Returns how many of some questions may get a wrong answer. No more are seen with a probability of 1 - CERTAINTY where
 * just `maxWrong` of all questions get one. Between two counts it is interpolated. 0 for too few questions.
 */
function allowedOf(questions: number, maxWrong: number): number {
  const odds = Math.log(maxWrong) - Math.log1p(-maxWrong);
  let logProbability = questions * Math.log1p(-maxWrong);
  let seen = 0;
  for (let count = 0; count < questions; count++) {
    const probability = Math.exp(logProbability);
    if (seen + probability > 1 - CERTAINTY) return Math.max(0, count - 1 + (1 - CERTAINTY - seen) / probability);
    seen += probability;
    logProbability += Math.log((questions - count) / (count + 1)) + odds;
  }
  return Math.max(0, questions - 1);
}

/** Returns the confidence at a place of a descending list, interpolated between its neighbors. */
function confidenceAt(hidden: number[], place: number): number | undefined {
  const [above, below] = [hidden[Math.floor(place)], hidden[Math.ceil(place)]];
  return above === undefined || below === undefined ? above : above + (below - above) * (place % 1);
}

/** A change of the index is large from this share of its passages on. */
const LARGE_SHARE = 0.2;
/** Fewer passages are never a large change. */
const MIN_LARGE_CHANGE = 50;

/** Returns whether an index of this many passages has changed so much that its threshold has to be measured again. */
export const isLargeChange = ({ added, removed }: { added: number; removed: number }, passages: number): boolean =>
  added + removed >= Math.max(MIN_LARGE_CHANGE, passages * LARGE_SHARE);
