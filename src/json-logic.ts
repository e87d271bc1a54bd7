import { LogicEngine } from 'json-logic-engine';
import { includesText } from './text-inclusion.rules.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Pure operators of JSON Logic: they call nothing. */
const ALLOWED_OPERATORS = new Set(
  'var missing missing_some if ?: and or ! !! == === != !== > >= < <= + - * / % min max in cat substr some all none filter map reduce merge length'.split(
    ' ',
  ),
);
const MAX_DEPTH = 32;
const MAX_CHARACTERS = 20_000;
/** Each iterates over a list for each item of the enclosing loop. */
const LOOP_OPERATORS = new Set(['some', 'all', 'none', 'filter', 'map', 'reduce']);
const MAX_NESTED_LOOPS = 2;
/** Maximum number of values read in an evaluation. It must not block the process for more than a fraction of a second. */
const MAX_COST = 300_000;
/** Reading this many characters takes about as long as reading a value. */
const CHARACTERS_PER_VALUE = 100;
const TOO_LONG = 'The lists or texts are too long to evaluate';

/** Their results can be longer than any list of the event. So loops pay for what they really go through. */
const GROWING_OPERATORS = new Set(['map', 'reduce', 'merge']);
/** They look at each character, where others copy or compare whole texts. */
const SLOW_OPERATORS = new Set(['in', 'var']);

/** Its operand is data, even if it looks like an operator. */
const DATA_OPERATOR = 'preserve';

/** The values that the present evaluation may still read. */
let allowance = 0;
/** Whether lists can grow in the present evaluation. */
let isGrowing = false;
const engine = createMeteredEngine();

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

/** What the constraints evaluated for one event may still read together. */
export interface Allowance {
  values: number;
  /** The length of the longest list in the event's output. */
  longestList: number;
}

/** Returns the allowance of an event with this output: for two constraints that are as costly as one may be. */
export const newAllowance = (output: Json): Allowance => ({
  values: 2 * MAX_COST,
  longestList: longestListIn(output),
});

/**
 * Returns whether a constraint holds for a trigger's output. Charges the values read to the allowance. Throws if the
 * constraint cannot be evaluated, or reads more than it may.
 */
export function satisfiesConstraint(
  constraint: Json | undefined,
  output: Json,
  shared: Allowance = newAllowance(output),
): boolean {
  if (constraint === null || constraint === undefined) return true;
  const fault = problemOfConstraint(constraint);
  if (fault !== undefined) throw new Error(fault);
  const cost = costOf(constraint, Math.max(longestListIn(constraint), shared.longestList));
  const most = Math.min(MAX_COST, shared.values);
  if (cost > most) throw new Error(TOO_LONG);
  allowance = most;
  isGrowing = usesAny(constraint, GROWING_OPERATORS);
  try {
    return Boolean(engine.truthy(engine.run(constraint as object, output)));
  } finally {
    shared.values -= most - allowance;
  }
}

type Method = (operands: unknown, ...rest: unknown[]) => unknown;

/** Creates an engine whose operators charge the lengths of what they get. It has no operators without such a charge. */
function createMeteredEngine(): LogicEngine {
  const metered = new LogicEngine(undefined, { disableInterpretedOptimization: true, maxDepth: Infinity });
  for (const name of ALLOWED_OPERATORS) {
    const known = metered.methods[name];
    const { lazy = false, method } = typeof known === 'function' ? { method: known as Method } : known;
    const evaluate: Method = name === 'in' ? isIn : LOOP_OPERATORS.has(name) ? meteredLoop(metered, method) : method;
    metered.addMethod(name, {
      lazy,
      method: (operands: unknown, ...rest: unknown[]) => {
        if (lazy) charge(1);
        else chargeFor(operands, SLOW_OPERATORS.has(name) ? 10 : 1);
        return evaluate(operands, ...rest);
      },
    });
  }
  return metered;
}

/**
 * Where lists can grow, evaluates the list of a loop first and charges for what the loop creates: the values of its
 * other operands for each item.
 */
function meteredLoop(metered: LogicEngine, loop: Method): Method {
  return (operands, context, above, ...rest) => {
    if (!isGrowing || !Array.isArray(operands)) return loop(operands, context, above, ...rest);
    const [logic, ...others] = operands;
    const list = metered.run(logic, context, { above: above as never });
    if (Array.isArray(list)) charge(list.length * countValues(others));
    return loop([{ [DATA_OPERATOR]: list }, ...others], context, above, ...rest);
  };
}

const countValues = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 1
    : Object.values(value).reduce<number>((sum, item) => sum + countValues(item), 1);

function usesAny(logic: Json, operators: ReadonlySet<string>): boolean {
  if (typeof logic !== 'object' || logic === null) return false;
  return Object.entries(logic).some(([key, value]) => operators.has(key) || usesAny(value, operators));
}

function charge(values: number): void {
  allowance -= values;
  if (allowance < 0) throw new Error(TOO_LONG);
}

/**
 * Charges so much for each value in operands and in lists inside, at any depth, because operators may turn a whole list
 * into a text. Long texts count as several values.
 */
function chargeFor(operands: unknown, costOfValue: number, depth = 0): void {
  if (depth > MAX_DEPTH) throw new Error(TOO_LONG);
  charge(costOfValue * (typeof operands === 'string' ? 1 + operands.length / CHARACTERS_PER_VALUE : 1));
  if (Array.isArray(operands)) for (const item of operands) chargeFor(item, costOfValue, depth + 1);
}

/** The operator `in` of JSON Logic: a text in a text, or a value in a list. */
function isIn(operands: unknown): boolean {
  const [part, whole] = Array.isArray(operands) ? operands : [];
  if (typeof whole === 'string') return includesText(whole, String(part));
  return Array.isArray(whole) && whole.includes(part);
}

/** Returns an upper bound for the number of evaluated operators, given the length of the longest list. */
function costOf(logic: Json, longestList: number, times = 1): number {
  if (typeof logic !== 'object' || logic === null) return times;
  if (Array.isArray(logic)) return logic.reduce<number>((sum, item) => sum + costOf(item, longestList, times), times);
  const [[operator, operands] = ['', null]] = Object.entries(logic);
  if (operator === DATA_OPERATOR) return times;
  if (!LOOP_OPERATORS.has(operator) || !Array.isArray(operands)) return times + costOf(operands, longestList, times);
  const [list = null, ...tests] = operands;
  return times + costOf(list, longestList, times) + costOf(tests, longestList, times * longestList);
}

/** Returns the length of the longest list in a value. */
function longestListIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let longest = Array.isArray(value) ? value.length : 0;
  for (const item of Object.values(value)) longest = Math.max(longest, longestListIn(item));
  return longest;
}
