import { type AnswerFeedback, NO_FEEDBACK, shiftOf } from './feedback.rules.ts';

/**
 * The threshold of a search by words that was not calibrated. On questions of five public sets it gave at most 5 % wrong
 * answers to questions whose article was taken away. With vectors no one threshold does, so until they are calibrated
 * answers are searched by words alone.
 */
export const DEFAULT_THRESHOLD = 1.15;

/** How sure it is that no more wrong answers are given than allowed. On average over orgs there are fewer. */
const CERTAINTY = 0.6;

/** A usual threshold. It counts like some measured questions, so that a few questions do not decide alone. */
const USUAL = { threshold: 1, weight: 5 };

/** A question whose right items are known. */
export interface AskedQuestion {
  /** The confidence of the best passage without the right items. An answer would be wrong. */
  hidden: number;
  /** The confidence of the best passage of all. */
  shown: number;
  /** Whether the best passage of all is of a right item. */
  isRight: boolean;
}

/**
 * Words of the org's own passages find other items with less confidence than questions do. So of them only this share of
 * what is allowed may get a wrong answer. On questions of four public sets that keeps to what is allowed. Where the
 * parts of long texts are items with one title, it does not: what is around an answer tells much of it.
 */
export const PROBES_SHARE = 0.3;

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
  /** Whether the search compared vectors too. */
  with_vectors: boolean;
}

/** The confidences from which on a quote is an answer. */
export interface Thresholds {
  /** Of a search by words alone. */
  words: number;
  /** Of a search that compares vectors too. Null: it was not calibrated, and is not used. */
  vectors: number | null;
}

/**
 * Returns the thresholds of an org. What was measured with vectors says nothing about words alone, and the other way
 * round.
 */
export function thresholdsOf(
  calibration: { threshold: number | null; report: Pick<CalibrationReport, 'with_vectors'> | null } | undefined,
): Thresholds {
  const measured = calibration?.threshold ?? null;
  return calibration?.report?.with_vectors
    ? { words: DEFAULT_THRESHOLD, vectors: measured }
    : { words: measured ?? DEFAULT_THRESHOLD, vectors: null };
}

/**
 * Returns the lowest threshold from which it is more likely than not that at most `share` of `maxWrong` of further
 * questions get a wrong answer, and what was measured with it. With few questions it is raised towards a usual one.
 * Feedback on answers then moves it. What is reported was measured after that.
 */
export function calibrate(
  asked: AskedQuestion[],
  maxWrong: number,
  { feedback = NO_FEEDBACK, share: ofAllowed = 1 }: { feedback?: AnswerFeedback; share?: number } = {},
): { threshold: number; report: Omit<CalibrationReport, 'with_vectors'> } {
  const hidden = asked.map((one) => one.hidden).sort((a, b) => b - a);
  const measured = confidenceAt(hidden, allowedOf(hidden.length, maxWrong * ofAllowed)) ?? DEFAULT_THRESHOLD;
  const weighted = (measured * asked.length + USUAL.threshold * USUAL.weight) / (asked.length + USUAL.weight);
  const measuredThreshold = Math.max(measured, weighted) + 1e-6;
  const shift = shiftOf(feedback, maxWrong);
  const threshold = measuredThreshold * (1 + shift);
  const answered = asked.filter(({ shown }) => shown >= threshold);
  const shareOf = (count: number) => (asked.length === 0 ? 0 : count / asked.length);
  return {
    threshold,
    report: {
      questions: asked.length,
      max_wrong: maxWrong,
      wrong_share: shareOf(asked.filter((one) => one.hidden >= threshold).length),
      answered_share: shareOf(answered.length),
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

/** The share of an org's passages from which on they are compared by vectors. A model refuses some texts for good. */
const MIN_EMBEDDED_SHARE = 0.9;

/** Returns whether vectors of this many passages are enough to calibrate with. */
export const isEmbedded = (vectors: number, passages: number): boolean =>
  vectors > 0 && vectors >= passages * MIN_EMBEDDED_SHARE;

/** A change of the index is large from this share of its passages on. */
const LARGE_SHARE = 0.2;
/** Fewer passages are never a large change. */
const MIN_LARGE_CHANGE = 50;

/** Returns whether an index of this many passages has changed so much that its threshold has to be measured again. */
export const isLargeChange = ({ added, removed }: { added: number; removed: number }, passages: number): boolean =>
  added + removed >= Math.max(MIN_LARGE_CHANGE, passages * LARGE_SHARE);
