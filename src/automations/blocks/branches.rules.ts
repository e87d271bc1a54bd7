import { memberOf } from '../../collections/records.ts';
import type { Step } from './schema.ts';

/** A branch of a block: a list of steps that may run in it. */
export interface Branch<Item> {
  /** The segments of step paths after the block's own: `then`, `case.0`, or `do.*` with any iteration of a loop. */
  segments: readonly string[];
  /** The place of the list in the block's `branches`, for messages. */
  field: string;
  steps: readonly Item[];
}

/**
 * Returns the branches of a step in document order; an action has none. Of unvalidated steps, values other than lists
 * are left out.
 */
export function branchesOf(step: Step): Branch<Step>[];
export function branchesOf(step: unknown): Branch<unknown>[];
export function branchesOf(step: unknown): Branch<unknown>[] {
  const branches = memberOf(step, '$kind') === 'Block' ? memberOf(step, 'branches') : undefined;
  const cases = memberOf(branches, 'cases');
  return [
    ...listed(['then'], 'then', memberOf(branches, 'then')),
    ...listed(['else'], 'else', memberOf(branches, 'else')),
    ...(Array.isArray(cases) ? cases : []).flatMap((one, nth) =>
      listed(['case', String(nth)], `cases[${nth}].steps`, memberOf(one, 'steps')),
    ),
    ...listed(['default'], 'default', memberOf(branches, 'default')),
    ...listed(['do', ANY_ITERATION], 'do', memberOf(branches, 'do')),
  ];
}

/** Stands for the number of an iteration in the segments of a loop's branch. */
export const ANY_ITERATION = '*';

const listed = (segments: readonly string[], field: string, steps: unknown): Branch<unknown>[] =>
  Array.isArray(steps) ? [{ segments, field, steps }] : [];
