import { LogicEngine } from 'json-logic-engine';
import type { Json } from './blocks.schema.ts';

/** Pure operators of JSON Logic that make nothing larger than what they are given, and call nothing. */
const ALLOWED = new Set(
  'var missing missing_some if ?: and or ! !! == === != !== > >= < <= + - * / % min max in cat substr some all none filter length'.split(
    ' ',
  ),
);
const MOST_DEEP = 32;
const MOST_CHARACTERS = 20_000;
/** Each goes through a list for each item of the one around it. */
const LOOPS = new Set(['some', 'all', 'none', 'filter']);
const MOST_LOOPS = 2;
/** Values to look at in working one out, for well under a second of everybody's time. */
const MOST_WORK = 1_000_000;
const COMPARED_AT_ONCE = 100;

/** What it has is data, whatever it looks like. */
const DATA = 'preserve';

const engine = new LogicEngine();

/** Why something cannot be a constraint; undefined where it can. */
export function faultOfConstraint(logic: unknown): string | undefined {
  if (logic === null || logic === undefined) return undefined;
  if (JSON.stringify(logic).length > MOST_CHARACTERS) return `must have at most ${MOST_CHARACTERS} characters`;
  return faultIn(logic, 0, 0);
}

function faultIn(logic: unknown, depth: number, loops: number): string | undefined {
  if (depth > MOST_DEEP) return `must be nested at most ${MOST_DEEP} deep`;
  if (Array.isArray(logic)) return firstOf(logic, depth, loops);
  if (typeof logic !== 'object' || logic === null) return undefined;
  const entries = Object.entries(logic);
  const [[operator, operands] = ['', undefined]] = entries;
  if (entries.length !== 1) return 'must be JSON Logic: an object with one operator';
  if (operator === DATA) return undefined;
  if (!ALLOWED.has(operator)) return `the operator ${operator.slice(0, 40)} is not known`;
  const around = loops + (LOOPS.has(operator) ? 1 : 0);
  if (around > MOST_LOOPS) return `must go through lists at most ${MOST_LOOPS} deep`;
  return faultIn(operands, depth + 1, around);
}

function firstOf(items: unknown[], depth: number, loops: number): string | undefined {
  for (const item of items) {
    const fault = faultIn(item, depth + 1, loops);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Whether a constraint holds for a trigger's output. Throws where it cannot be worked out. */
export function satisfies(constraint: Json | undefined, output: Json): boolean {
  if (constraint === null || constraint === undefined) return true;
  const fault = faultOfConstraint(constraint);
  if (fault !== undefined) throw new Error(fault);
  if (workOf(constraint, longestIn([constraint, output])) > MOST_WORK)
    throw new Error('The lists or texts are too long to be gone through');
  return Boolean(engine.run(constraint as object, output));
}

interface Longest {
  list: number;
  text: number;
}

/** How many values are looked at, at most, where no list or text is longer. */
function workOf(logic: Json, longest: Longest, times = 1): number {
  if (typeof logic !== 'object' || logic === null) return times;
  if (Array.isArray(logic)) return logic.reduce<number>((sum, item) => sum + workOf(item, longest, times), times);
  const [[operator, operands] = ['', null]] = Object.entries(logic);
  if (operator === DATA) return times;
  const own = operator === 'in' ? times * (1 + Math.max(longest.list, longest.text) / COMPARED_AT_ONCE) : times;
  if (!LOOPS.has(operator) || !Array.isArray(operands)) return own + workOf(operands, longest, times);
  const [list = null, ...tests] = operands;
  return own + workOf(list, longest, times) + workOf(tests, longest, times * longest.list);
}

/** How long the longest list and the longest text in a value are. */
function longestIn(value: Json, longest: Longest = { list: 0, text: 0 }): Longest {
  if (typeof value === 'string') longest.text = Math.max(longest.text, value.length);
  else if (Array.isArray(value)) {
    longest.list = Math.max(longest.list, value.length);
    for (const item of value) longestIn(item, longest);
  } else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) longestIn(item, longest);
  return longest;
}
