import type { Step } from '../blocks/schema.ts';

/** Where in a run a step is: the index in its list, behind the block, branch and iteration around it: `3.do.5.1`. */
export type StepPath = string;

type PathSegment = string;

/** The first of the definition's steps. */
export const FIRST_PATH: StepPath = '0';

const segmentsOf = (place: StepPath): PathSegment[] => place.split('.');
const pathOf = (parts: readonly (PathSegment | number)[]): StepPath => parts.join('.');

/** The step at a place. Undefined where the definition has none. */
export function stepAt(blocks: readonly Step[], place: StepPath): Step | undefined {
  const parts = segmentsOf(place);
  return enclosingList(blocks, parts)?.[Number(parts.at(-1))];
}

/** The list of steps that a place is in. */
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

/** The steps of a branch, and of how many parts of a place its name is. */
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

/** A place in a branch of the block at a place. */
export const firstPathInBranch = (place: StepPath, ...branch: (PathSegment | number)[]): StepPath =>
  pathOf([place, ...branch, 0]);

/** The place behind one in the same list. Undefined where the list ends. */
export function nextPathInList(blocks: readonly Step[], place: StepPath): StepPath | undefined {
  const parts = segmentsOf(place);
  const index = Number(parts.at(-1)) + 1;
  const list = enclosingList(blocks, parts);
  return list !== undefined && index < list.length ? pathOf([...parts.slice(0, -1), index]) : undefined;
}

/** The block around a place, with the iteration where it is a loop. Undefined for the definition's own list. */
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

/** Each step's id with where it stands, loops by `*` in place of an iteration. */
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

/** A step's place as it is seen from another: in the same iteration of each loop around both. Undefined where it is in a loop that is not. */
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

/** The iterations that a place is in, by the place of the loop. */
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
