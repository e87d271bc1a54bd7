import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { elementAt } from '../collections/checked-access.ts';
import type { GroupedDoubles } from './doubles.ts';

/** After this time other work gets a turn, before the next partition of the values. */
const MAX_BLOCKING_MS = 5;

/** One for each fraction. Null if there are no values. */
export type Percentiles = (number | null)[];

/**
 * Returns the values at some fractions of each group's sorted values, and last of all values: between two of them where
 * need be, as percentile_cont of Postgres. The fractions ascend. Sorts no further than it has to, and reorders the values.
 */
export async function percentilesOf(
  { values, ends }: GroupedDoubles,
  fractions: readonly number[],
): Promise<Percentiles[]> {
  const pause = pauses();
  const percentiles: Percentiles[] = [];
  let begin = 0;
  for (const end of ends) {
    percentiles.push(await percentilesAmong(values.subarray(begin, end), fractions, pause));
    begin = end;
  }
  percentiles.push(await percentilesAmong(values, fractions, pause));
  return percentiles;
}

/** Returns a function that lets others run when it is time for it. */
function pauses(): () => Promise<void> | undefined {
  let pausedAt = performance.now();
  return () => {
    if (performance.now() - pausedAt < MAX_BLOCKING_MS) return undefined;
    return yieldToOthers().then(() => {
      pausedAt = performance.now();
    });
  };
}

async function percentilesAmong(
  values: Float64Array,
  fractions: readonly number[],
  pause: () => Promise<void> | undefined,
): Promise<Percentiles> {
  if (values.length === 0) return fractions.map(() => null);
  const percentiles: number[] = [];
  let sortedUntil = 0;
  for (const fraction of fractions) {
    const position = fraction * (values.length - 1);
    const nth = Math.floor(position);
    await putInPlace(values, nth, sortedUntil, pause);
    const below = elementAt(values, nth);
    const above = position > nth ? smallestFrom(values, nth + 1) : below;
    percentiles.push(below + (position - nth) * (above - below));
    sortedUntil = nth;
  }
  return percentiles;
}

/**
 * Puts the nth smallest value in its place, no smaller one behind it and no larger one before it: by quickselect. Nothing
 * before `from` belongs behind it.
 */
async function putInPlace(
  values: Float64Array,
  nth: number,
  from: number,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  let [left, right] = [from, values.length - 1];
  while (left < right) {
    const [endOfSmaller, beginOfLarger] = partition(values, left, right);
    if (nth <= endOfSmaller) right = endOfSmaller;
    else if (nth >= beginOfLarger) left = beginOfLarger;
    else return;
    const paused = pause();
    if (paused !== undefined) await paused;
  }
}

/** Moves the values that are not larger than one of them to the left, and those that are not smaller to the right. */
function partition(values: Float64Array, left: number, right: number): [endOfSmaller: number, beginOfLarger: number] {
  const pivot = pivotOf(values, left, right);
  let [i, j] = [left, right];
  while (i <= j) {
    while ((values[i] ?? Number.NaN) < pivot) i++;
    while ((values[j] ?? Number.NaN) > pivot) j--;
    if (i > j) break;
    const value = elementAt(values, i);
    values[i++] = elementAt(values, j);
    values[j--] = value;
  }
  return [j, i];
}

/** The middle one of three values at random, so that no order of values makes it slow. */
function pivotOf(values: Float64Array, left: number, right: number): number {
  const any = () => elementAt(values, left + Math.floor(Math.random() * (right - left + 1)));
  const [a, b, c] = [any(), any(), any()];
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

function smallestFrom(values: Float64Array, from: number): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let nth = from; nth < values.length; nth++) smallest = Math.min(smallest, values[nth] ?? Number.NaN);
  return smallest;
}
