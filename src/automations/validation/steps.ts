import { z } from 'zod';
import { problemOfLogic } from '../../json-logic/json-logic.ts';
import { strictThroughout } from '../../schemas/parts.ts';
import { ACTIONS } from '../actions/registry.ts';
import { branchesOf } from '../blocks/branches.rules.ts';
import { MAX_INPUT_VALUES, referencesIn } from '../blocks/references.rules.ts';
import { ActionShape, BLOCKS } from '../blocks/shapes.schema.ts';
import { hasAtMostValues } from '../json.rules.ts';
import { describeIssue, issuesOf, problemsOf } from './input.rules.ts';

const MAX_STEPS = 200;
const MAX_DEPTH = 10;
const MAX_QUOTED = 60;

/** The schemas of actions' steps. A misspelt name in a list would have no effect in any run. */
const INPUTS = new Map([...ACTIONS].map(([type, { input }]) => [type, z.object({ input: strictThroughout(input) })]));

type Fields = Record<string, unknown>;

/** Returns the problems of an input with the schema of its action, with their paths. */
export function problemsOfInput(type: string, input: unknown): { path: PropertyKey[]; message: string }[] {
  const shape = INPUTS.get(type);
  if (shape === undefined) return [];
  if (!hasAtMostValues(input, MAX_INPUT_VALUES))
    return [{ path: ['input'], message: `must have at most ${MAX_INPUT_VALUES} values` }];
  return issuesOf(shape, { input }).map((issue) => ({
    path: issue.path,
    message: describeIssue({ ...issue, path: [] }),
  }));
}

/** A step of any branch, in document order. */
export interface CollectedStep {
  /** The given id, if it is text. */
  id: string | undefined;
  fields: Fields;
  /** The ids of the loops around it. */
  loops: string[];
  problems: string[];
}

export interface CollectedSteps {
  steps: CollectedStep[];
  /** Problems without a step id. */
  problems: string[];
}

/** Collects the steps of all branches, with the problems of each step by itself. */
export function collectSteps(blocks: unknown): CollectedSteps {
  const result: CollectedSteps = { steps: [], problems: [] };
  if (!Array.isArray(blocks)) result.problems.push('workflow_blocks must be a list of steps');
  else collectList(result, blocks, { depth: 1, loops: [], path: 'workflow_blocks' });
  if (result.steps.length > MAX_STEPS)
    result.problems.push(`workflow_blocks must have at most ${MAX_STEPS} steps in all`);
  return result;
}

interface WalkContext {
  depth: number;
  loops: string[];
  path: string;
}

function collectList(result: CollectedSteps, list: readonly unknown[], around: WalkContext): void {
  if (list.length > 0 && around.depth > MAX_DEPTH) {
    result.problems.push(`${around.path}: steps must be nested at most ${MAX_DEPTH} deep`);
    return;
  }
  for (const [index, value] of list.entries()) {
    if (result.steps.length > MAX_STEPS) return;
    const path = `${around.path}[${index}]`;
    if (isFields(value)) collectStep(result, value, { ...around, path });
    else result.problems.push(`${path}: must be a step, which is an object`);
  }
}

function collectStep(result: CollectedSteps, fields: Fields, around: WalkContext): void {
  const given = ownValue(fields, 'id');
  const id = typeof given === 'string' ? given : undefined;
  const problems = problemsIn(fields);
  result.steps.push({ id, fields, loops: around.loops, problems: id === undefined ? [] : problems });
  if (id === undefined) result.problems.push(...problems.map((problem) => `${around.path}: ${problem}`));
  const isLoop = fields.type === 'for-each' && id !== undefined;
  const inside = { depth: around.depth + 1, loops: isLoop ? [...around.loops, id] : around.loops };
  for (const { field, steps } of branchesOf(fields))
    collectList(result, steps, { ...inside, path: `${around.path}.branches.${field}` });
}

function problemsIn(fields: Fields): string[] {
  if (fields.$kind === 'Action') return problemsOfAction(fields);
  if (fields.$kind === 'Block') return problemsOfBlock(fields);
  return ['$kind must be "Action" or "Block"'];
}

function problemsOfAction(fields: Fields): string[] {
  const problems = problemsOf(ActionShape, fields);
  if (typeof fields.type !== 'string') return problems;
  const shape = INPUTS.get(fields.type);
  if (shape === undefined)
    return [...problems, `there is no action ${quoted(fields.type)}: GET /workflows/definitions lists them`];
  if (!isFields(fields.input)) return problems;
  if (!hasAtMostValues(fields.input, MAX_INPUT_VALUES))
    return [...problems, `input: must have at most ${MAX_INPUT_VALUES} values`];
  return [...problems, ...problemsOf(shape, { input: fields.input })];
}

function problemsOfBlock(fields: Fields): string[] {
  const block = typeof fields.type === 'string' ? BLOCKS.get(fields.type) : undefined;
  if (block === undefined) return [`there is no block ${quoted(fields.type)}: GET /workflows/definitions lists them`];
  return [...problemsOf(block.shape, fields), ...problemsOfCases(fields), ...problemsOfConstraint(fields)];
}

/** Cases must be constants: they are distinguished before a run begins. */
function problemsOfCases({ branches }: Fields): string[] {
  const cases = isFields(branches) ? ownValue(branches, 'cases') : undefined;
  if (!Array.isArray(cases)) return [];
  return cases.flatMap((one, nth) =>
    isFields(one) && referencesIn(one.equals).length > 0
      ? [`branches.cases.${nth}.equals: must be without references: compare them by if-else`]
      : [],
  );
}

function problemsOfConstraint({ type, inputs }: Fields): string[] {
  if (type !== 'wait-for-event' || !isFields(inputs)) return [];
  const fault = problemOfLogic(ownValue(inputs, 'constraint'));
  return fault === undefined ? [] : [`inputs.constraint: ${fault}`];
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const ownValue = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);
export const quoted = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_QUOTED)) : typeof value;
