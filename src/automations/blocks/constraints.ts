import { LogicEngine } from 'json-logic-engine';
import type { Json } from './schema.ts';

/** Pure operators of JSON Logic that make nothing larger than what they are given, and call nothing. */
const ALLOWED_OPERATORS = new Set(
  'var missing missing_some if ?: and or ! !! == === != !== > >= < <= + - * / % min max in cat substr some all none filter length'.split(
    ' ',
  ),
);
const MAX_DEPTH = 32;
const MAX_CHARACTERS = 20_000;
/** Each goes through a list for each item of the one around it. */
const LOOP_OPERATORS = new Set(['some', 'all', 'none', 'filter']);
const MAX_NESTED_LOOPS = 2;
/** Values to look at in working one out, for well under a second of everybody's time. */
const MAX_COST = 1_000_000;
const COMPARISONS_PER_VALUE = 100;

/** What it has is data, whatever it looks like. */
const DATA_OPERATOR = 'preserve';

const engine = new LogicEngine();

/** Why something cannot be a constraint; undefined where it can. */
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

/** Whether a constraint holds for a trigger's output. Throws where it cannot be worked out. */
export function satisfiesConstraint(constraint: Json | undefined, output: Json): boolean {
  if (constraint === null || constraint === undefined) return true;
  const fault = problemOfConstraint(constraint);
  if (fault !== undefined) throw new Error(fault);
  if (costOf(constraint, longestLengthsIn([constraint, output])) > MAX_COST)
    throw new Error('The lists or texts are too long to be gone through');
  return Boolean(engine.run(constraint as object, output));
}

interface LongestLengths {
  list: number;
  text: number;
}

/** How many values are looked at, at most, where no list or text is longer. */
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

/** How long the longest list and the longest text in a value are. */
function longestLengthsIn(value: Json, longest: LongestLengths = { list: 0, text: 0 }): LongestLengths {
  if (typeof value === 'string') longest.text = Math.max(longest.text, value.length);
  else if (Array.isArray(value)) {
    longest.list = Math.max(longest.list, value.length);
    for (const item of value) longestLengthsIn(item, longest);
  } else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) longestLengthsIn(item, longest);
  return longest;
}
