import { type Evaluation, isTruthy, OPERATORS, type Scope } from './operators.rules.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Logic = Json | undefined;
type LazyOperator = (operands: Logic[], scope: Scope) => unknown;

const TOO_LONG = 'The lists or texts are too long to evaluate';
/** Maximum depth of logic, and of lists in the values of operands. */
export const MAX_DEPTH = 32;
/** Its operand is data, even if it looks like an operator. */
export const DATA_OPERATOR = 'preserve';

/** Reading this many characters takes about as long as reading a value. */
const CHARACTERS_PER_VALUE = 100;
/** They look at each character, where others copy or compare whole texts. */
const SLOW_OPERATORS = new Set(['in', 'var', 'missing', 'missing_some']);

/** The operators that evaluate a test for each item of a list. */
const LOOPS: ReadonlyMap<string, LazyOperator> = new Map<string, LazyOperator>([
  ['filter', ([list, test], scope) => itemsOf(list, scope).filter((item) => isTruthy(evaluateFor(item, test, scope)))],
  ['map', ([list, logic], scope) => itemsOf(list, scope).map((item) => evaluateFor(item, logic, scope))],
  ['some', ([list, test], scope) => itemsOf(list, scope).some((item) => isTruthy(evaluateFor(item, test, scope)))],
  ['none', ([list, test], scope) => !itemsOf(list, scope).some((item) => isTruthy(evaluateFor(item, test, scope)))],
  ['all', areAll],
  ['reduce', reduce],
]);

/** The operators that decide which of their operands are evaluated. */
const LAZY_OPERATORS: ReadonlyMap<string, LazyOperator> = new Map<string, LazyOperator>([
  ...LOOPS,
  ['if', choose],
  ['?:', choose],
  ['and', (operands, scope) => firstOrLast(operands, scope, (value) => !isTruthy(value))],
  ['or', (operands, scope) => firstOrLast(operands, scope, isTruthy)],
]);

export const isLoop = (operator: string): boolean => LOOPS.has(operator);
export const isOperator = (name: string): boolean => OPERATORS.has(name) || LAZY_OPERATORS.has(name);

/** Returns the value of logic. Throws an error with a sentence if it reads more than it may, or has no value. */
export function evaluate(logic: Logic, scope: Scope): unknown {
  if (typeof logic !== 'object' || logic === null) return logic;
  if (Array.isArray(logic)) {
    charge(scope.evaluation, logic.length);
    return logic.map((item) => evaluate(item, scope));
  }
  const [name, ...others] = Object.keys(logic);
  if (name === undefined || others.length > 0) return logic;
  const operand = logic[name];
  return name === DATA_OPERATOR ? operand : apply(name, Array.isArray(operand) ? operand : [operand], scope);
}

function apply(name: string, operands: Logic[], scope: Scope): unknown {
  const lazy = LAZY_OPERATORS.get(name);
  charge(scope.evaluation, 1 + operands.length);
  if (lazy !== undefined) return lazy(operands, scope);
  const operator = OPERATORS.get(name);
  if (operator === undefined) throw new Error(`There is no operator ${name.slice(0, 40)}`);
  const values = operands.map((operand) => evaluate(operand, scope));
  for (const value of values) chargeFor(value, scope.evaluation, SLOW_OPERATORS.has(name) ? 10 : 1);
  return operator(values, scope);
}

/** Returns the items of a list. What is no list has none. */
function itemsOf(list: Logic, scope: Scope): unknown[] {
  const items = evaluate(list, scope);
  return Array.isArray(items) ? items : [];
}

function evaluateFor(data: unknown, logic: Logic, outer: Scope): unknown {
  const { evaluation } = outer;
  charge(evaluation, 1);
  return evaluate(logic, { data, outer, evaluation });
}

function areAll([list, test]: Logic[], scope: Scope): boolean {
  const items = itemsOf(list, scope);
  return items.length > 0 && items.every((item) => isTruthy(evaluateFor(item, test, scope)));
}

function reduce([list, logic, initial = null]: Logic[], scope: Scope): unknown {
  const items = itemsOf(list, scope);
  return items.reduce(
    (accumulator, current) => evaluateFor({ current, accumulator }, logic, scope),
    evaluate(initial, scope),
  );
}

/** Takes pairs of a test and a value, and a last value for when no test holds. */
function choose(operands: Logic[], scope: Scope): unknown {
  for (let at = 0; at < operands.length; at += 2) {
    const isLast = at === operands.length - 1;
    const value = evaluate(operands[at], scope);
    if (isLast) return value;
    if (isTruthy(value)) return evaluate(operands[at + 1], scope);
  }
  return null;
}

function firstOrLast(operands: Logic[], scope: Scope, isFound: (value: unknown) => boolean): unknown {
  let value: unknown;
  for (const operand of operands) {
    value = evaluate(operand, scope);
    if (isFound(value)) return value;
  }
  return value;
}

function charge(evaluation: Evaluation, values: number): void {
  evaluation.allowance -= values;
  if (evaluation.allowance < 0) throw new Error(TOO_LONG);
}

/**
 * Charges so much for a value and for those in lists inside, at any depth, because operators may turn a whole list into a
 * text. Long texts count as several values.
 */
function chargeFor(value: unknown, evaluation: Evaluation, costOfValue: number, depth = 0): void {
  if (depth > MAX_DEPTH) throw new Error(TOO_LONG);
  charge(evaluation, costOfValue * (typeof value === 'string' ? 1 + value.length / CHARACTERS_PER_VALUE : 1));
  if (Array.isArray(value)) for (const item of value) chargeFor(item, evaluation, costOfValue, depth + 1);
}
