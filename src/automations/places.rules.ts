import type { Step } from './blocks.schema.ts';

/** Where in a run a step is: the index in its list, behind the block, branch and iteration around it: `3.do.5.1`. */
export type Place = string;

type Part = string;

/** The first of the definition's steps. */
export const FIRST: Place = '0';

const partsOf = (place: Place): Part[] => place.split('.');
const placeOf = (parts: readonly (Part | number)[]): Place => parts.join('.');

/** The step at a place. Undefined where the definition has none. */
export function stepAt(blocks: readonly Step[], place: Place): Step | undefined {
  const parts = partsOf(place);
  return listAround(blocks, parts)?.[Number(parts.at(-1))];
}

/** The list of steps that a place is in. */
function listAround(blocks: readonly Step[], parts: readonly Part[]): readonly Step[] | undefined {
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
function branchOf(block: Step, name: Part | undefined, nth: Part | undefined): [readonly Step[] | undefined, number] {
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
export const inBranch = (place: Place, ...branch: (Part | number)[]): Place => placeOf([place, ...branch, 0]);

/** The place behind one in the same list. Undefined where the list ends. */
export function nextInList(blocks: readonly Step[], place: Place): Place | undefined {
  const parts = partsOf(place);
  const index = Number(parts.at(-1)) + 1;
  const list = listAround(blocks, parts);
  return list !== undefined && index < list.length ? placeOf([...parts.slice(0, -1), index]) : undefined;
}

/** The block around a place, with the iteration where it is a loop. Undefined for the definition's own list. */
export function blockAround(blocks: readonly Step[], place: Place): { place: Place; iteration?: number } | undefined {
  const parts = partsOf(place);
  if (parts.length < 3) return undefined;
  for (const taken of [1, 2]) {
    const around = parts.slice(0, -1 - taken);
    const block = stepAt(blocks, placeOf(around));
    if (block === undefined || block.$kind === 'Action') continue;
    const isDeep = block.type === 'for-each' || (block.type === 'switch' && parts.at(-1 - taken) === 'case');
    if (isDeep !== (taken === 2)) continue;
    return block.type === 'for-each'
      ? { place: placeOf(around), iteration: Number(parts.at(-2)) }
      : { place: placeOf(around) };
  }
  return undefined;
}

/** Each step's id with where it stands, loops by `*` in place of an iteration. */
export function placesById(blocks: readonly Step[]): Map<string, Place> {
  const places = new Map<string, Place>();
  const walk = (list: readonly Step[], prefix: (Part | number)[]) => {
    for (const [index, step] of list.entries()) {
      const parts = [...prefix, index];
      places.set(step.id, placeOf(parts));
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
export function seenFrom(template: Place, from: Place): Place | undefined {
  const [parts, around] = [partsOf(template), partsOf(from)];
  let isShared = true;
  const filled = parts.map((part, at) => {
    if (part !== '*') {
      isShared = isShared && part === around[at];
      return part;
    }
    return isShared ? around[at] : undefined;
  });
  return filled.includes(undefined) ? undefined : placeOf(filled as Part[]);
}

/** The iterations that a place is in, by the place of the loop. */
export function iterationsAround(blocks: readonly Step[], place: Place): Map<Place, number> {
  const iterations = new Map<Place, number>();
  for (let around = blockAround(blocks, place); around !== undefined; around = blockAround(blocks, around.place)) {
    if (around.iteration !== undefined) iterations.set(around.place, around.iteration);
  }
  return iterations;
}
