import type { Step } from '../blocks/schema.ts';

/** Path of a step in a run, such as `3.do.5.1`: block, branch and iteration around it, then the index in its list. */
export type StepPath = string;

type PathSegment = string;

/** The first step of the definition. */
export const FIRST_PATH: StepPath = '0';

const segmentsOf = (place: StepPath): PathSegment[] => place.split('.');
const pathOf = (parts: readonly (PathSegment | number)[]): StepPath => parts.join('.');

/** Returns the step at a path, or undefined if the definition has none there. */
export function stepAt(blocks: readonly Step[], place: StepPath): Step | undefined {
  const parts = segmentsOf(place);
  return enclosingList(blocks, parts)?.[Number(parts.at(-1))];
}

/** Returns the list of steps containing a path. */
function enclosingList(blocks: readonly Step[], parts: readonly PathSegment[]): readonly Step[] | undefined {
  let list: readonly Step[] | undefined = blocks;
  for (let at = 0; at < parts.length - 1; ) {
    const block: Step | undefined = list?.[Number(parts[at])];
    if (block === undefined) return undefined;
    const [inner, taken]: [readonly Step[] | undefined, number] = branchOf(block, parts[at + 1], parts[at + 2]);
    list = inner;
    at += 1 + taken;
  }
  return list;
}

/** Returns the steps of a branch, and the number of path segments in its name. */
function branchOf(
  block: Step,
  name: PathSegment | undefined,
  nth: PathSegment | undefined,
): [readonly Step[] | undefined, number] {
  if (block.$kind === 'Action') return [undefined, 1];
  switch (block.type) {
    case 'if-else':
      return [name === 'then' ? block.branches.then : name === 'else' ? block.branches.else : undefined, 1];
    case 'switch':
      if (name === 'default') return [block.branches.default, 1];
      return [block.branches.cases[Number(nth)]?.steps, 2];
    case 'for-each':
      return [block.branches.do, 2];
    case 'wait':
    case 'wait-for-event':
      return [undefined, 1];
  }
}

/** Returns the path of the first step in a branch of the block at `place`. */
export const firstPathInBranch = (place: StepPath, ...branch: (PathSegment | number)[]): StepPath =>
  pathOf([place, ...branch, 0]);

/** Returns the next path in the same list, or undefined at its end. */
export function nextPathInList(blocks: readonly Step[], place: StepPath): StepPath | undefined {
  const parts = segmentsOf(place);
  const index = Number(parts.at(-1)) + 1;
  const list = enclosingList(blocks, parts);
  return list !== undefined && index < list.length ? pathOf([...parts.slice(0, -1), index]) : undefined;
}

/**
 * Returns the block around a path, with the iteration if it is a loop. Returns undefined for the definition's own list.
 */
export function enclosingBlock(
  blocks: readonly Step[],
  place: StepPath,
): { place: StepPath; iteration?: number } | undefined {
  const parts = segmentsOf(place);
  if (parts.length < 3) return undefined;
  for (const taken of [1, 2]) {
    const around = parts.slice(0, -1 - taken);
    const block = stepAt(blocks, pathOf(around));
    if (block === undefined || block.$kind === 'Action') continue;
    const isDeep = block.type === 'for-each' || (block.type === 'switch' && parts.at(-1 - taken) === 'case');
    if (isDeep !== (taken === 2)) continue;
    return block.type === 'for-each'
      ? { place: pathOf(around), iteration: Number(parts.at(-2)) }
      : { place: pathOf(around) };
  }
  return undefined;
}

/** Returns the paths of all steps by step id, with `*` for iterations. */
export function pathsById(blocks: readonly Step[]): Map<string, StepPath> {
  const places = new Map<string, StepPath>();
  const walk = (list: readonly Step[], prefix: (PathSegment | number)[]) => {
    for (const [index, step] of list.entries()) {
      const parts = [...prefix, index];
      places.set(step.id, pathOf(parts));
      if (step.$kind === 'Action') continue;
      if (step.type === 'if-else') {
        walk(step.branches.then, [...parts, 'then']);
        walk(step.branches.else ?? [], [...parts, 'else']);
      } else if (step.type === 'switch') {
        for (const [nth, { steps }] of step.branches.cases.entries()) walk(steps, [...parts, 'case', nth]);
        walk(step.branches.default ?? [], [...parts, 'default']);
      } else if (step.type === 'for-each') walk(step.branches.do, [...parts, 'do', '*']);
    }
  };
  walk(blocks, []);
  return places;
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
  return filled.includes(undefined) ? undefined : pathOf(filled as PathSegment[]);
}

/** Returns the current iteration of each loop around a path, by the loop's path. */
export function enclosingIterations(blocks: readonly Step[], place: StepPath): Map<StepPath, number> {
  const iterations = new Map<StepPath, number>();
  for (
    let around = enclosingBlock(blocks, place);
    around !== undefined;
    around = enclosingBlock(blocks, around.place)
  ) {
    if (around.iteration !== undefined) iterations.set(around.place, around.iteration);
  }
  return iterations;
}
