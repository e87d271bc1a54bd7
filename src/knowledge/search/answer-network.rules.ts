/** A network of one hidden layer that tells how sure it is that a passage answers a question. */
export interface AnswerNetwork {
  /** The names of its inputs, in this order. */
  features: string[];
  /** The mean and the standard deviation of each feature, by which it is scaled. */
  means: number[];
  deviations: number[];
  /** The units of the hidden layer: what each feature counts in it, and what it counts itself. */
  units: { weights: number[]; bias: number; output: number }[];
  bias: number;
}

/** What is further from the mean, in standard deviations, counts as if it were here: the network has learned nothing there. */
const FURTHEST = 3;

/** The lead of a passage without a rival, in standard deviations: that of a usual first one. The network knows no such case. */
const UNRIVALED = 1;

/** Returns a feature as the network gets it. Null is a lead over nothing. */
export const scaled = (value: number | null, mean: number, deviation: number): number =>
  value === null ? UNRIVALED : Math.max(-FURTHEST, Math.min(FURTHEST, (value - mean) / deviation));

/** Returns the logarithm of the odds that a passage with these features answers its question. */
export function logOddsOf({ means, deviations, units, bias }: AnswerNetwork, features: (number | null)[]): number {
  const inputs = features.map((value, nth) => scaled(value, means[nth] ?? 0, deviations[nth] ?? 1));
  return units.reduce((sum, unit) => {
    const input = inputs.reduce((all, value, nth) => all + value * (unit.weights[nth] ?? 0), unit.bias);
    return sum + unit.output * Math.tanh(input);
  }, bias);
}
