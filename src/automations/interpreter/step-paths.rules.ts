import { ANY_ITERATION, type Branch, branchesOf } from '../blocks/branches.rules.ts';
import type { Step } from '../blocks/schema.ts';

/** Path of a step in a run, such as `3.do.5.1`: block, branch and iteration around it, then the index in its list. */
export type StepPath = string;

type PathSegment = string;

/** The first step of the definition. */
export const FIRST_PATH: StepPath = '0';

const segmentsOf = (path: StepPath): PathSegment[] => path.split('.');
const pathOf = (parts: readonly (PathSegment | number)[]): StepPath => parts.join('.');

/** Returns the path that a run comes to last, or undefined if there is none. */
export const lastPathOf = (paths: readonly StepPath[]): StepPath | undefined => paths.toSorted(byOrder).at(-1);

/** A run comes to the paths of a list in order, and to those inside of a block after the block. */
function byOrder(one: StepPath, other: StepPath): number {
  const [parts, others] = [segmentsOf(one), segmentsOf(other)];
  const at = parts.findIndex((part, nth) => part !== others[nth]);
  const isInside = at === -1 || others[at] === undefined;
  return isInside ? parts.length - others.length : Number(parts[at]) - Number(others[at]);
}

/** Returns the step at a path, or undefined if the definition has none there. */
export function stepAt(blocks: readonly Step[], path: StepPath): Step | undefined {
  const parts = segmentsOf(path);
  return enclosingList(blocks, parts)?.[Number(parts.at(-1))];
}

/** Returns the list of steps containing a path. */
function enclosingList(blocks: readonly Step[], parts: readonly PathSegment[]): readonly Step[] | undefined {
  let list: readonly Step[] | undefined = blocks;
  for (let at = 0; at < parts.length - 1; ) {
    const block: Step | undefined = list?.[Number(parts[at])];
    const branch: Branch<Step> | undefined = block && branchAt(block, parts.slice(at + 1));
    if (branch === undefined) return undefined;
    list = branch.steps;
    at += 1 + branch.segments.length;
  }
  return list;
}

/** Returns the branch of a block whose segments begin a path. */
const branchAt = (block: Step, parts: readonly PathSegment[]): Branch<Step> | undefined =>
  branchesOf(block).find(({ segments }) =>
    segments.every((segment, nth) => (segment === ANY_ITERATION ? parts[nth] !== undefined : segment === parts[nth])),
  );

/** Returns the path of the first step in a branch of the block at `path`. */
export const firstPathInBranch = (path: StepPath, ...branch: (PathSegment | number)[]): StepPath =>
  pathOf([path, ...branch, 0]);

/** Returns the next path in the same list, or undefined at its end. */
export function nextPathInList(blocks: readonly Step[], path: StepPath): StepPath | undefined {
  const parts = segmentsOf(path);
  const index = Number(parts.at(-1)) + 1;
  const list = enclosingList(blocks, parts);
  return list !== undefined && index < list.length ? pathOf([...parts.slice(0, -1), index]) : undefined;
}

/**
 * Returns the block around a path, with the iteration if it is a loop. Returns undefined for the definition's own list.
 */
export function enclosingBlock(
  blocks: readonly Step[],
  path: StepPath,
): { path: StepPath; iteration?: number } | undefined {
  const parts = segmentsOf(path);
  if (parts.length < 3) return undefined;
  for (const count of [1, 2]) {
    const path = pathOf(parts.slice(0, -1 - count));
    const block = stepAt(blocks, path);
    const branch = block && branchAt(block, parts.slice(-1 - count, -1));
    if (branch?.segments.length !== count) continue;
    return branch.segments.includes(ANY_ITERATION) ? { path, iteration: Number(parts.at(-2)) } : { path };
  }
  return undefined;
}

/** Returns the paths of all steps by step id, with `*` for iterations. */
export function pathsById(blocks: readonly Step[]): Map<string, StepPath> {
  const paths = new Map<string, StepPath>();
  const walk = (list: readonly Step[], prefix: readonly PathSegment[]) => {
    for (const [index, step] of list.entries()) {
      const parts = [...prefix, String(index)];
      paths.set(step.id, pathOf(parts));
      for (const { segments, steps } of branchesOf(step)) walk(steps, [...parts, ...segments]);
    }
  };
  walk(blocks, []);
  return paths;
}

/**
 * Returns a step's path as seen from another step: in the same iteration of each loop around both. Returns undefined if
 * the step is in a loop of its own.
 */
export function visiblePathFrom(template: StepPath, from: StepPath): StepPath | undefined {
  const [parts, around] = [segmentsOf(template), segmentsOf(from)];
  let isShared = true;
  const filled = parts.map((part, at) => {
    if (part !== '*') {
      isShared = isShared && part === around[at];
      return part;
    }
    return isShared ? around[at] : undefined;
  });
  return filled.every((part) => part !== undefined) ? pathOf(filled) : undefined;
}

/** Returns the current iteration of each loop around a path, by the loop's path. */
export function enclosingIterations(blocks: readonly Step[], path: StepPath): Map<StepPath, number> {
  const iterations = new Map<StepPath, number>();
  for (let around = enclosingBlock(blocks, path); around !== undefined; around = enclosingBlock(blocks, around.path)) {
    if (around.iteration !== undefined) iterations.set(around.path, around.iteration);
  }
  return iterations;
}
