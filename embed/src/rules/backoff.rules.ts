const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** Returns how long to wait after a failure in a row, the first of which is 0: half of it is left to chance. */
export const backoffMs = (failures: number, random = Math.random()): number =>
  Math.min(FIRST_MS * 2 ** failures, LONGEST_MS) * (0.5 + random / 2);
