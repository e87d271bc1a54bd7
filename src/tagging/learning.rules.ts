import {
  type Classifier,
  COUNTEREXAMPLE,
  EXAMPLE,
  LEFT_OUT,
  randomOf,
  scoreOf,
  shuffle,
  spread,
  trainClassifier,
} from './classifier.rules.ts';
import { BUCKETS, featuresOf } from './features.rules.ts';
import { encodeModel } from './model.rules.ts';
import { type Guess, thresholdOf } from './thresholds.rules.ts';
import { frequenciesOf, rarityOf, type Vectors, vectorsOf } from './vectors.rules.ts';

/** The share of right ones among the tags that are applied. */
export const DEFAULT_PRECISION = 0.9;
/** The share of right ones among suggestions. */
const SUGGESTED_PRECISION = 0.5;
const MIN_EXAMPLES = 10;
/** An org's tags with the most examples are learnt. */
const MAX_LEARNT_TAGS = 200;
const FOLDS = 5;

/** A session to learn from. Tags are keys. */
export interface TaggedText {
  text: string;
  /** The tags that people gave it. */
  tags: string[];
  /** Tags that it may have or not: nobody has confirmed them. */
  unsure: string[];
}

export interface Lesson {
  texts: TaggedText[];
  /** 0.9 unless given. */
  precision?: number;
}

/**
 * What is known about a tag. `applied`: from the threshold on it is applied. `suggested`: it is only suggested, as no
 * threshold reaches the precision. `uncertain`: neither. The rest was not learnt.
 */
export type LearntState = 'applied' | 'suggested' | 'uncertain' | 'too_few_examples' | 'too_many_tags';

export interface LearntTag {
  tag_key: string;
  examples: number;
  /** Null if nothing is applied. */
  threshold: number | null;
  /** Null if nothing is suggested. */
  suggest_threshold: number | null;
  /** Measured on sessions that were held back while learning. */
  precision: number | null;
  coverage: number | null;
  state: LearntState;
}

export interface Learnt {
  /** Those with a classifier first, in its order. */
  tags: LearntTag[];
  model: Uint8Array;
}

/**
 * Learns one classifier per tag. Each one's thresholds come from cross-validation: every text is scored by a classifier
 * that has not seen it. The same lesson gives the same model.
 */
export function learnTags({ texts, precision = DEFAULT_PRECISION }: Lesson): Learnt {
  const examples = countExamples(texts);
  const learnt = examples.filter(([, count]) => count >= MIN_EXAMPLES).slice(0, MAX_LEARNT_TAGS);
  const counts = texts.map(({ text }) => featuresOf(text));
  const frequencies = frequenciesOf(counts);
  const vectors = vectorsOf(counts, rarityOf(frequencies));
  const folds = foldsOf(texts.length);
  const classifiers: Classifier[] = [];
  const tags = learnt.map(([tag, count], nth): LearntTag => {
    const targets = targetsOf(texts, tag);
    classifiers.push(trainClassifier(vectors, targets, nth));
    return judged({ tag_key: tag, examples: count }, crossValidate(vectors, targets, folds, nth), precision);
  });
  const rest = examples.slice(learnt.length).map(
    ([tag_key, count]): LearntTag => ({
      ...{ tag_key, examples: count, threshold: null, suggest_threshold: null, precision: null, coverage: null },
      state: count < MIN_EXAMPLES ? 'too_few_examples' : 'too_many_tags',
    }),
  );
  return { tags: [...tags, ...rest], model: encodeModel({ frequencies, classifiers }) };
}

/** Returns the tags with the number of their examples, those with the most first. */
function countExamples(texts: readonly TaggedText[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { tags } of texts) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
}

const targetsOf = (texts: readonly TaggedText[], tag: string): Int8Array =>
  Int8Array.from(texts, ({ tags, unsure }) =>
    tags.includes(tag) ? EXAMPLE : unsure.includes(tag) ? LEFT_OUT : COUNTEREXAMPLE,
  );

/** Assigns each text to a fold, by chance, but always the same. */
function foldsOf(count: number): Uint8Array {
  const order = [...Array(count).keys()];
  shuffle(order, randomOf(count));
  const folds = new Uint8Array(count);
  order.forEach((text, nth) => {
    folds[text] = nth % FOLDS;
  });
  return folds;
}

function crossValidate(vectors: Vectors, targets: Int8Array, folds: Uint8Array, seed: number): Guess[] {
  const guesses: Guess[] = [];
  const weights = new Float64Array(BUCKETS);
  for (let fold = 0; fold < FOLDS; fold++) {
    const classifier = trainClassifier(
      vectors,
      targets.map((target, text) => (folds[text] === fold ? LEFT_OUT : target)),
      seed,
    );
    spread(classifier, weights);
    targets.forEach((target, text) => {
      if (folds[text] !== fold || target === LEFT_OUT) return;
      guesses.push({ score: scoreOf(classifier, vectors, text, weights), isRight: target === EXAMPLE });
    });
    spread(classifier, weights, 0);
  }
  return guesses;
}

function judged(tag: Pick<LearntTag, 'tag_key' | 'examples'>, guesses: Guess[], precision: number): LearntTag {
  const applied = thresholdOf(guesses, precision);
  const below = guesses.filter(({ score }) => applied === undefined || score < applied.score);
  const suggested = thresholdOf(below, Math.min(precision, SUGGESTED_PRECISION));
  return {
    ...tag,
    threshold: applied?.score ?? null,
    suggest_threshold: suggested?.score ?? null,
    precision: applied?.precision ?? null,
    coverage: applied?.coverage ?? null,
    state: applied !== undefined ? 'applied' : suggested !== undefined ? 'suggested' : 'uncertain',
  };
}
