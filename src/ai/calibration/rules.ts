import { LARGE_INDEX, largenessOf, placeBetween, SMALL_INDEX } from '../../knowledge/search/confidence.rules.ts';
import { type AnswerFeedback, NO_FEEDBACK, shiftOf } from './feedback.rules.ts';

/** The allowed share of wrong answers assumed by the usual thresholds. */
const USUAL_MAX_WRONG = 0.05;

/**
 * The threshold of a search by words in a large index without a calibration. On questions of five public sets it gave
 * at most 5 % wrong answers to questions with their article removed. With vectors no one threshold does, so until they
 * are calibrated answers are searched by words alone.
 */
export const DEFAULT_THRESHOLD = 1.3;
/** The same in a small index: chance finds less among few passages. */
const DEFAULT_SMALL_THRESHOLD = 0.6;
/** An index of this many passages needs most of the default threshold of a large one. */
const MANY = 100;

/** Returns the threshold of a search by words of an index without a calibration. */
export const defaultThresholdOf = (passages: number): number =>
  DEFAULT_SMALL_THRESHOLD + (DEFAULT_THRESHOLD - DEFAULT_SMALL_THRESHOLD) * placeBetween(SMALL_INDEX, MANY, passages);

/** The certainty of no more wrong answers than allowed. On average over orgs there are fewer. */
const CERTAINTY = 0.6;

/**
 * A usual threshold counts as this many measured questions in an index of many passages. It counts as more in a small
 * one: its few questions cannot measure rare cases. It was learned on small help centers and on small parts of public
 * sets.
 */
const USUAL_WEIGHT = { large: 5, small: { words: 60, 'known-scale': 500, vectors: 5 } };
const USUAL = { passages: 12, most: 1 };

/** The comparison of a search: by words, with the cosines of a model of known scale, or with those of another model. */
export type Comparison = 'words' | 'known-scale' | 'vectors';

/**
 * The usual thresholds at this number of passages, and their rise for e times as many. Cosines of an unknown scale have
 * none for a small index.
 */
const USUAL_SMALL: Record<Comparison, { threshold: number; perFold: number }> = {
  words: { threshold: 0.54, perFold: 0.2 },
  'known-scale': { threshold: 0.78, perFold: 0.12 },
  vectors: { threshold: USUAL.most, perFold: 0 },
};
/** The reduction of a threshold for e times as many allowed wrong answers. */
const PER_FOLD_OF_WRONG = 0.12;

/** Returns the usual threshold of an index. It grows with the number of chance matches among its passages. */
export function usualThresholdOf(comparison: Comparison, passages: number, maxWrong: number): number {
  const { threshold, perFold } = USUAL_SMALL[comparison];
  const bySize = threshold + perFold * Math.log(Math.max(1, passages / USUAL.passages));
  return Math.min(USUAL.most, bySize) + PER_FOLD_OF_WRONG * Math.log(USUAL_MAX_WRONG / maxWrong);
}

/** A question with its right items. */
export interface AskedQuestion {
  /** The confidence of the best passage without the right items. An answer would be wrong. */
  hidden: number;
  /** The confidence of the best passage of all. */
  shown: number;
  /** Whether the best passage of all is of a right item. */
  isRight: boolean;
}

/**
 * Words of the org's own passages find other items with less confidence than questions do. So of probes only this share
 * of the allowed number may get a wrong answer. On questions of four public sets this keeps within the allowed share.
 * It does not if the parts of long texts are items with one title: the text around an answer reveals much of it.
 */
const PROBES_SHARE = 0.3;

/**
 * Returns the share of the allowed wrong answers that probes of an index may get. A small index has so few that the
 * highest of them is chance. There all of the share is read from them, and the usual threshold counts for the rest.
 */
export const probesShareOf = (passages: number): number => PROBES_SHARE ** largenessOf(passages);

/** The results of a calibration. Shares are from 0 to 1. */
export interface CalibrationReport {
  questions: number;
  max_wrong: number;
  /** The share of questions answered while their item was hidden. */
  wrong_share: number;
  /** The share of questions answered while their item was there. */
  answered_share: number;
  /** The share of right items among those answers. Null without any. */
  right_share: number | null;
  /** The threshold before the feedback. */
  measured_threshold: number;
  /** The outcomes of answers, and the share by which they moved the threshold. */
  feedback: (AnswerFeedback & { shift: number }) | null;
  /** Whether the search compared vectors too. */
  with_vectors: boolean;
  /** The threshold of a search by words alone, if the search compared vectors too. */
  words_threshold: number | null;
}

/** The lowest confidences of an answer by a quote. */
export interface Thresholds {
  /** Of a search by words alone. */
  words: number;
  /** For a search with vectors too. Null: it was not calibrated, and is not used. */
  vectors: number | null;
}

/**
 * Returns the thresholds of an org with this many passages in its index. A measurement with vectors says nothing about
 * words alone, and the other way round.
 */
export function thresholdsOf(
  calibration:
    | { threshold: number | null; report: Pick<CalibrationReport, 'with_vectors' | 'words_threshold'> | null }
    | undefined,
  passages: number,
): Thresholds {
  const measured = calibration?.threshold ?? null;
  const unmeasured = defaultThresholdOf(passages);
  return calibration?.report?.with_vectors
    ? { words: calibration.report.words_threshold ?? unmeasured, vectors: measured }
    : { words: measured ?? unmeasured, vectors: null };
}

/**
 * Returns the lowest threshold with at most `share` of `maxWrong` of further questions answered wrongly, more likely
 * than not, and its measurements. With few questions it is raised towards a usual one. Among few `passages` it stays
 * near the usual one. Feedback on answers then moves it. The reported measurements follow that.
 */
export function calibrate(
  asked: AskedQuestion[],
  maxWrong: number,
  {
    feedback = NO_FEEDBACK,
    share: ofAllowed = 1,
    passages = LARGE_INDEX,
    comparison = 'words',
  }: { feedback?: AnswerFeedback; share?: number; passages?: number; comparison?: Comparison } = {},
): { threshold: number; report: Omit<CalibrationReport, 'with_vectors' | 'words_threshold'> } {
  const hidden = asked.map((one) => one.hidden).sort((a, b) => b - a);
  const usual = usualThresholdOf(comparison, passages, maxWrong);
  const measured = confidenceAt(hidden, allowedOf(hidden.length, maxWrong * ofAllowed)) ?? usual;
  const largeness = comparison === 'vectors' ? 1 : largenessOf(passages);
  const small = USUAL_WEIGHT.small[comparison];
  const weight = small + (USUAL_WEIGHT.large - small) * largeness;
  const weighted = (measured * asked.length + usual * weight) / (asked.length + weight);
  const measuredThreshold = weighted + Math.max(0, measured - weighted) * largeness + 1e-6;
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
 * Returns how many of some questions may get a wrong answer. If just `maxWrong` of all questions get one, no more are
 * seen with a probability of 1 - CERTAINTY. Between two counts it is interpolated. 0 for too few questions.
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

/**
 * From this share of embedded passages on, an org's passages are compared by vectors. A model refuses some texts for
 * good.
 */
const MIN_EMBEDDED_SHARE = 0.9;

/** Returns whether vectors of this many passages are enough to calibrate with. */
export const isEmbedded = (vectors: number, passages: number): boolean =>
  vectors > 0 && vectors >= passages * MIN_EMBEDDED_SHARE;

/** A change of the index is large from this share of its passages on. */
const LARGE_SHARE = 0.2;

/** Returns whether an index of this many passages has changed enough to need another measurement of its threshold. */
export const isLargeChange = ({ added, removed }: { added: number; removed: number }, passages: number): boolean =>
  added + removed >= Math.max(1, passages * LARGE_SHARE);
