import { messageOf } from '../errors.ts';
import { DATA_OPERATOR, evaluate, isLoop, isOperator, type Json, MAX_DEPTH } from './evaluation.rules.ts';
import { isTruthy } from './operators.rules.ts';

const MAX_CHARACTERS = 20_000;
/** Each iterates over a list for each item of the enclosing loop. */
const MAX_NESTED_LOOPS = 2;
/** Maximum number of values read in an evaluation. It must not block the process for more than a fraction of a second. */
const MAX_COST = 300_000;

/** Returns the reason if a value is no JSON Logic condition, otherwise undefined. An absent condition always holds. */
export function problemOfLogic(logic: unknown): string | undefined {
  if (logic === undefined || logic === null || typeof logic === 'boolean') return undefined;
  if (typeof logic !== 'object' || Array.isArray(logic)) return 'must be JSON Logic: an object with one operator';
  return problemOfConstraint(logic);
}

/** Returns the reason if a value is no valid constraint, otherwise undefined. */
export function problemOfConstraint(logic: unknown): string | undefined {
  if (logic === null || logic === undefined) return undefined;
  if (JSON.stringify(logic).length > MAX_CHARACTERS) return `must have at most ${MAX_CHARACTERS} characters`;
  return problemIn(logic, 0, 0);
}

function problemIn(logic: unknown, depth: number, loops: number): string | undefined {
  if (depth > MAX_DEPTH) return `must be nested at most ${MAX_DEPTH} deep`;
  if (Array.isArray(logic)) return firstProblemIn(logic, depth, loops);
  if (typeof logic !== 'object' || logic === null) return undefined;
  const entries = Object.entries(logic);
  const [[operator, operands] = ['', undefined]] = entries;
  if (entries.length !== 1) return 'must be JSON Logic: an object with one operator';
  if (operator === DATA_OPERATOR) return undefined;
  if (!isOperator(operator)) return `the operator ${operator.slice(0, 40)} is not known`;
  const around = loops + (isLoop(operator) ? 1 : 0);
  if (around > MAX_NESTED_LOOPS) return `must go through lists at most ${MAX_NESTED_LOOPS} deep`;
  return problemIn(operands, depth + 1, around);
}

function firstProblemIn(items: unknown[], depth: number, loops: number): string | undefined {
  for (const item of items) {
    const fault = problemIn(item, depth + 1, loops);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** How many values the constraints evaluated for one event may still read together. */
export interface Allowance {
  values: number;
}

/** Returns the allowance of an event: for two constraints that are as costly as one may be. */
export const newAllowance = (): Allowance => ({ values: 2 * MAX_COST });

/**
 * Returns whether a constraint holds for a trigger's output. Charges the values read to the allowance. Throws an error
 * with a sentence if the constraint cannot be evaluated, or reads more than it may.
 */
export const satisfiesConstraint = (
  constraint: Json | undefined,
  output: Json,
  shared: Allowance = newAllowance(),
): boolean => outcomeOf(constraint, output, shared).holds;

/**
 * Returns whether limits apply to the arguments of a call. They also apply if they cannot be evaluated, or if they
 * compare or calculate with something that is no number, because a text would otherwise pass a limit for an amount.
 */
export function mayApply(limits: Json, parameters: Json): boolean {
  try {
    const { holds, hasNaN } = outcomeOf(limits, parameters, newAllowance());
    return holds || hasNaN;
  } catch {
    return true;
  }
}

function outcomeOf(constraint: Json | undefined, output: Json, shared: Allowance): { holds: boolean; hasNaN: boolean } {
  if (constraint === null || constraint === undefined) return { holds: true, hasNaN: false };
  const fault = problemOfConstraint(constraint);
  if (fault !== undefined) throw new Error(`The constraint is not valid: ${fault}`);
  const most = Math.min(MAX_COST, shared.values);
  const evaluation = { allowance: most, hasNaN: false };
  try {
    const holds = isTruthy(evaluate(constraint, { data: output, outer: undefined, evaluation }));
    return { holds, hasNaN: evaluation.hasNaN };
  } catch (error) {
    // Only conversions of values to numbers and texts throw something else than a sentence of ours.
    if (!(error instanceof TypeError)) throw error;
    throw new Error(`A value cannot be converted for an operator: ${messageOf(error)}`, { cause: error });
  } finally {
    shared.values -= most - evaluation.allowance;
  }
}
