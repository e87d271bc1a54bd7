import { type AnswerNetwork, scaled } from '../../../src/knowledge/search/answer-network.rules.ts';
import { createRandom } from '../../support/generated-texts.ts';

/** What a network is trained on: rows of features, and whether each is of a passage that answers its question. */
export interface TrainingSet {
  features: string[];
  /** Null is a lead over nothing. */
  rows: (number | null)[][];
  answers: boolean[];
}

interface Training {
  hidden: number;
  steps: number;
  /** How much weights are drawn to 0 (L2), as a share of the number of rows. */
  decay: number;
  seed: number;
}

const RATE = 0.01;
const MOMENTS = { first: 0.9, second: 0.999, least: 1e-8 };

/**
 * Trains a network of one hidden layer on the cross entropy of its answers, all rows at a step, by Adam (Kingma 2015) with a
 * rate that falls to 0. The same set and seed give the same network.
 */
export function train(
  { features, rows, answers }: TrainingSet,
  { hidden, steps, decay, seed }: Training,
): AnswerNetwork {
  const width = features.length;
  const means = features.map((_, nth) => meanOf(known(rows, nth)));
  const deviations = features.map((_, nth) => {
    const mean = means[nth] ?? 0;
    return Math.sqrt(meanOf(known(rows, nth).map((value) => (value - mean) ** 2))) || 1;
  });
  const inputs = Float64Array.from(
    rows.flatMap((row) => row.map((value, nth) => scaled(value, means[nth] ?? 0, deviations[nth] ?? 1))),
  );
  const random = createRandom(seed);
  const size = hidden * (width + 1) + hidden + 1;
  const weights = Float64Array.from({ length: size }, () => (random() * 2 - 1) / Math.sqrt(width));
  const gradient = new Float64Array(size);
  const moments = { first: new Float64Array(size), second: new Float64Array(size) };
  for (let step = 1; step <= steps; step++) {
    addGradient(gradient.fill(0), { weights, inputs, answers, hidden, width });
    const rate = (RATE * (1 + Math.cos((Math.PI * step) / steps))) / 2;
    for (let nth = 0; nth < size; nth++) {
      const slope =
        (gradient[nth] ?? 0) + (isBias(nth, hidden, width) ? 0 : (decay / rows.length) * (weights[nth] ?? 0));
      const first = MOMENTS.first * (moments.first[nth] ?? 0) + (1 - MOMENTS.first) * slope;
      const second = MOMENTS.second * (moments.second[nth] ?? 0) + (1 - MOMENTS.second) * slope ** 2;
      moments.first[nth] = first;
      moments.second[nth] = second;
      const corrected = Math.sqrt(second / (1 - MOMENTS.second ** step)) + MOMENTS.least;
      weights[nth] = (weights[nth] ?? 0) - (rate * (first / (1 - MOMENTS.first ** step))) / corrected;
    }
  }
  return networkOf(weights, { features, means, deviations, hidden });
}

/** Adds the mean gradient of all rows. Weights lie as those of each hidden unit with its bias, then those of the output. */
function addGradient(
  gradient: Float64Array,
  {
    weights,
    inputs,
    answers,
    hidden,
    width,
  }: { weights: Float64Array; inputs: Float64Array; answers: boolean[]; hidden: number; width: number },
): void {
  const units = new Float64Array(hidden);
  const output = hidden * (width + 1);
  for (const [row, isAnswer] of answers.entries()) {
    const from = row * width;
    let sum = weights[output + hidden] ?? 0;
    for (let unit = 0; unit < hidden; unit++) {
      const start = unit * (width + 1);
      let input = weights[start + width] ?? 0;
      for (let nth = 0; nth < width; nth++) input += (weights[start + nth] ?? 0) * (inputs[from + nth] ?? 0);
      units[unit] = Math.tanh(input);
      sum += (weights[output + unit] ?? 0) * (units[unit] ?? 0);
    }
    const error = (1 / (1 + Math.exp(-sum)) - (isAnswer ? 1 : 0)) / answers.length;
    gradient[output + hidden] = (gradient[output + hidden] ?? 0) + error;
    for (let unit = 0; unit < hidden; unit++) {
      const start = unit * (width + 1);
      const value = units[unit] ?? 0;
      gradient[output + unit] = (gradient[output + unit] ?? 0) + error * value;
      const back = error * (weights[output + unit] ?? 0) * (1 - value ** 2);
      gradient[start + width] = (gradient[start + width] ?? 0) + back;
      for (let nth = 0; nth < width; nth++)
        gradient[start + nth] = (gradient[start + nth] ?? 0) + back * (inputs[from + nth] ?? 0);
    }
  }
}

const isBias = (nth: number, hidden: number, width: number): boolean =>
  nth < hidden * (width + 1) ? nth % (width + 1) === width : nth === hidden * (width + 1) + hidden;

function networkOf(
  weights: Float64Array,
  {
    features,
    means,
    deviations,
    hidden,
  }: { features: string[]; means: number[]; deviations: number[]; hidden: number },
): AnswerNetwork {
  const width = features.length;
  const rounded = Array.from(weights, (weight) => Number(weight.toPrecision(5)));
  const output = hidden * (width + 1);
  return {
    features,
    means: means.map((mean) => Number(mean.toPrecision(6))),
    deviations: deviations.map((deviation) => Number(deviation.toPrecision(6))),
    units: Array.from({ length: hidden }, (_, unit) => ({
      weights: rounded.slice(unit * (width + 1), unit * (width + 1) + width),
      bias: rounded[unit * (width + 1) + width] ?? 0,
      output: rounded[output + unit] ?? 0,
    })),
    bias: rounded[output + hidden] ?? 0,
  };
}

const known = (rows: (number | null)[][], nth: number): number[] => rows.flatMap((row) => row[nth] ?? []);

const meanOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
