import { type Block, branchesOf } from './blocks';

/** The place of a step: its number in its list, then the number of a branch and of a step in it, and so on. */
export type Path = readonly number[];

export const isSamePath = (one: Path | undefined, other: Path): boolean => one?.join() === other.join();

/** Finds the step at a path. */
export function stepAt(steps: Block[], [index, branch, ...rest]: Path): Block | undefined {
  const step = index === undefined ? undefined : steps[index];
  if (step === undefined || branch === undefined) return step;
  return stepAt(branchesOf(step)[branch]?.steps ?? [], rest);
}

/** Returns the steps with one replaced. */
export const withStepAt = (steps: Block[], path: Path, step: Block): Block[] =>
  changeList(steps, path, (list, n) => list.with(n, step));

/** Returns the steps with a new one at a path, before those that are there and behind it. */
export const withNewStepAt = (steps: Block[], path: Path, step: Block): Block[] =>
  changeList(steps, path, (list, n) => list.toSpliced(n, 0, step));

/** Returns the steps without the one at a path, and without what is in it. */
export const withoutStepAt = (steps: Block[], path: Path): Block[] =>
  changeList(steps, path, (list, n) => list.toSpliced(n, 1));

/** Returns the steps with the one at a path moved in its list. */
export const withStepMoved = (steps: Block[], path: Path, by: 1 | -1): Block[] =>
  changeList(steps, path, (list, n) => {
    const step = list[n];
    return step === undefined || list[n + by] === undefined ? list : list.toSpliced(n, 1).toSpliced(n + by, 0, step);
  });

/** Returns the path of a neighbour in the same list. */
export const besidePath = (path: Path, by: number): Path => path.with(-1, (path.at(-1) ?? 0) + by);

/** Returns how many steps are in the list of a path. */
export function lengthAround(steps: Block[], path: Path): number {
  if (path.length === 1) return steps.length;
  const around = stepAt(steps, path.slice(0, -2));
  return around === undefined ? 0 : (branchesOf(around)[path.at(-2) ?? 0]?.steps.length ?? 0);
}

function changeList(steps: Block[], path: Path, change: (list: Block[], n: number) => Block[]): Block[] {
  const [index = 0, branch, ...rest] = path;
  const step = steps[index];
  if (branch === undefined) return change(steps, index);
  if (step === undefined) return steps;
  const inner = branchesOf(step)[branch]?.steps ?? [];
  return steps.with(index, withBranch(step, branch, changeList(inner, rest, change)));
}

/** Returns a block with other steps in one of its branches. */
function withBranch(block: Block, branch: number, steps: Block[]): Block {
  const { type, branches = {} } = block;
  if (type === 'for-each') return { ...block, branches: { ...branches, do: steps } };
  if (type === 'if-else') return { ...block, branches: { ...branches, [branch === 0 ? 'then' : 'else']: steps } };
  const cases = Array.isArray(branches.cases) ? branches.cases : [];
  if (branch >= cases.length) return { ...block, branches: { ...branches, default: steps } };
  return { ...block, branches: { ...branches, cases: cases.with(branch, { ...cases[branch], steps }) } };
}

/** Returns all steps of all branches in the order in which they are read, with their paths. */
export const allSteps = (steps: Block[], around: Path = []): { step: Block; path: Path }[] =>
  steps.flatMap((step, n) => {
    const path = [...around, n];
    return [{ step, path }, ...branchesOf(step).flatMap((branch, at) => allSteps(branch.steps, [...path, at]))];
  });
