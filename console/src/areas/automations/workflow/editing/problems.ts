import type { Block } from '../blocks';
import type { Definitions, Schema } from './definitions';

/** Whether the API says a problem of a value, or of something in it. */
const isAt = (problem: string, path: string): boolean =>
  problem.startsWith(`${path}:`) || problem.startsWith(`${path}.`);

/** Returns what the API says of a value, without its path. */
export function problemAt(problems: string[], path: string): string | undefined {
  const problem = problems.find((one) => isAt(one, path));
  return problem?.startsWith(`${path}: `) ? problem.slice(path.length + 2) : problem;
}

/** The values of blocks that have a field each. */
const FIELDS: Record<string, string[]> = {
  'if-else': ['inputs.condition.left', 'inputs.condition.right'],
  switch: ['inputs.value'],
  'for-each': ['inputs.items'],
  wait: ['inputs'],
  'wait-for-event': ['inputs.timeout_minutes', 'inputs.constraint'],
};

/** Returns the problems of a step that none of its fields says. */
export function restOf(problems: string[], step: Block, definitions: Definitions): string[] {
  const action = definitions.actions.find(({ type }) => type === step.type);
  const names = Object.keys((action?.input as Schema | undefined)?.properties ?? {});
  const paths = [...names.map((name) => `input.${name}`), ...(FIELDS[step.type] ?? [])];
  // Each case has a field, but not all of them together.
  const isOfCase = (problem: string) => step.type === 'switch' && problem.startsWith('branches.cases.');
  return problems.filter((problem) => !isOfCase(problem) && !paths.some((path) => isAt(problem, path)));
}

/** Returns the problems of a workflow that no field of its trigger says. */
export function restOfTrigger(problems: string[], type: string, definitions: Definitions): string[] {
  const trigger = definitions.triggers.find((one) => one.type === type);
  const names = Object.keys((trigger?.configuration as Schema | null | undefined)?.properties ?? {});
  const paths = ['trigger_constraints', ...names.map((name) => `trigger_configuration.${name}`)];
  return problems.filter((problem) => !paths.some((path) => isAt(problem, path)));
}
