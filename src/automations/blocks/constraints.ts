import { LogicEngine } from 'json-logic-engine';
import type { Json } from './schema.ts';

/** Pure operators of JSON Logic. Their results are not larger than their operands, and they call nothing. */
const ALLOWED_OPERATORS = new Set(
  'var missing missing_some if ?: and or ! !! == === != !== > >= < <= + - * / % min max in cat substr some all none filter length'.split(
    ' ',
  ),
);
const MAX_DEPTH = 32;
const MAX_CHARACTERS = 20_000;
/** Each iterates over a list for each item of the enclosing loop. */
const LOOP_OPERATORS = new Set(['some', 'all', 'none', 'filter']);
const MAX_NESTED_LOOPS = 2;
/**
 * Maximum number of values read in an evaluation: it must not block the process for more than a fraction of a second.
 */
const MAX_COST = 1_000_000;
const COMPARISONS_PER_VALUE = 100;

/** Its operand is data, even if it looks like an operator. */
const DATA_OPERATOR = 'preserve';

const engine = new LogicEngine();

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
  if (!ALLOWED_OPERATORS.has(operator)) return `the operator ${operator.slice(0, 40)} is not known`;
  const around = loops + (LOOP_OPERATORS.has(operator) ? 1 : 0);
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

/** Returns whether a constraint holds for a trigger's output. Throws if the constraint cannot be evaluated. */
export function satisfiesConstraint(constraint: Json | undefined, output: Json): boolean {
  if (constraint === null || constraint === undefined) return true;
  const fault = problemOfConstraint(constraint);
  if (fault !== undefined) throw new Error(fault);
  if (costOf(constraint, longestLengthsIn([constraint, output])) > MAX_COST)
    throw new Error('The lists or texts are too long to evaluate');
  return Boolean(engine.run(constraint as object, output));
}

interface LongestLengths {
  list: number;
  text: number;
}

/** Returns an upper bound for the number of values read, given the longest list and text. */
function costOf(logic: Json, longest: LongestLengths, times = 1): number {
  if (typeof logic !== 'object' || logic === null) return times;
  if (Array.isArray(logic)) return logic.reduce<number>((sum, item) => sum + costOf(item, longest, times), times);
  const [[operator, operands] = ['', null]] = Object.entries(logic);
  if (operator === DATA_OPERATOR) return times;
  const own = operator === 'in' ? times * (1 + Math.max(longest.list, longest.text) / COMPARISONS_PER_VALUE) : times;
  if (!LOOP_OPERATORS.has(operator) || !Array.isArray(operands)) return own + costOf(operands, longest, times);
  const [list = null, ...tests] = operands;
  return own + costOf(list, longest, times) + costOf(tests, longest, times * longest.list);
}

/** Returns the lengths of the longest list and the longest text in a value. */
function longestLengthsIn(value: Json, longest: LongestLengths = { list: 0, text: 0 }): LongestLengths {
  if (typeof value === 'string') longest.text = Math.max(longest.text, value.length);
  else if (Array.isArray(value)) {
    longest.list = Math.max(longest.list, value.length);
    for (const item of value) longestLengthsIn(item, longest);
  } else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) longestLengthsIn(item, longest);
  return longest;
}
