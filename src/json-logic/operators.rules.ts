import { includesText } from '../text/inclusion.rules.ts';

/** What operators read, and what an evaluation may still cost. */
export interface Scope {
  data: unknown;
  /** The scope around a loop. */
  outer: Scope | undefined;
  evaluation: Evaluation;
}

export interface Evaluation {
  /** How many more values it may read. */
  allowance: number;
  /** Whether an operator needed a number and had something else. */
  hasNaN: boolean;
}

type Operator = (operands: unknown[], scope: Scope) => unknown;

/** Leads from a loop to the data around it. */
const OUTWARD = '../../';

/**
 * The operators that get the values of their operands. Each answers as json-logic-js does, which is the reference. Two
 * things differ: fields are read from the event alone, not from its prototypes, and names in data are never logic.
 * `length` and paths outward are additions.
 */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['var', readVariable],
  ['missing', missingNames],
  ['missing_some', missingOfSome],
  ['!', ([value]) => !isTruthy(value)],
  ['!!', ([value]) => isTruthy(value)],
  ['==', ([a, b]) => isLooselyEqual(a, b)],
  ['===', ([a, b]) => a === b],
  ['!=', ([a, b]) => !isLooselyEqual(a, b)],
  ['!==', ([a, b]) => a !== b],
  ['>', ([a, b], scope) => isOrdered(isLess, [b, a], scope)],
  ['>=', ([a, b], scope) => isOrdered(isAtMost, [b, a], scope)],
  ['<', (operands, scope) => isAscending(isLess, operands, scope)],
  ['<=', (operands, scope) => isAscending(isAtMost, operands, scope)],
  [
    '+',
    (terms, scope) =>
      numberOf(
        terms.reduce<number>((sum, term) => sum + parsed(term), 0),
        scope,
      ),
  ],
  ['*', (factors, scope) => productOf(factors, scope)],
  ['-', ([a, b], scope) => numberOf(b === undefined ? -Number(a) : Number(a) - Number(b), scope)],
  ['/', ([a, b], scope) => numberOf(Number(a) / Number(b), scope)],
  ['%', ([a, b], scope) => numberOf(Number(a) % Number(b), scope)],
  ['min', (values, scope) => numberOf(Math.min(...values.map(Number)), scope)],
  ['max', (values, scope) => numberOf(Math.max(...values.map(Number)), scope)],
  ['in', ([part, whole]) => isIn(part, whole)],
  ['cat', (parts) => parts.join('')],
  ['substr', partOfText],
  ['merge', (lists) => lists.flat()],
  ['length', ([value]) => lengthOf(value)],
  ['log', ([value]) => value],
]);

/** Returns what counts as true in JSON Logic: as in JavaScript, but an empty list is false. */
export const isTruthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

function readVariable([name, absent = null]: unknown[], { data, outer }: Scope): unknown {
  if (name === undefined || name === null || name === '') return data;
  let path = String(name);
  let [value, around] = [data, outer];
  while (around !== undefined && path.startsWith(OUTWARD)) {
    path = path.slice(OUTWARD.length);
    ({ data: value, outer: around } = around);
  }
  if (path === '' && around !== outer) return value;
  for (const key of path.split('.')) {
    value = ownField(value, key);
    if (value === undefined) return absent;
  }
  return value;
}

const ownField = (value: unknown, key: string): unknown => {
  if (value === null || value === undefined) return undefined;
  const fields: Record<string, unknown> = Object(value);
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
};

function missingNames(operands: unknown[], scope: Scope): unknown[] {
  const names: unknown[] = Array.isArray(operands[0]) ? operands[0] : operands;
  return names.filter((name) => {
    const value = readVariable(Array.isArray(name) ? name : [name], scope);
    return value === null || value === '';
  });
}

function missingOfSome([needed, names]: unknown[], scope: Scope): unknown[] {
  if (names === null || names === undefined) throw new Error('missing_some needs a list of names');
  const missing = missingNames(Array.isArray(names) ? names : [names], scope);
  return isAtMost(needed, Number(ownField(names, 'length')) - missing.length) ? [] : missing;
}

// biome-ignore lint/suspicious/noDoubleEquals: JSON Logic defines its operator by that of JavaScript
const isLooselyEqual = (a: unknown, b: unknown): boolean => a == b;
/** Compares by the rules of JavaScript: two texts by their characters, all else as numbers. */
const isLess = (a: unknown, b: unknown): boolean => (a as number) < (b as number);
const isAtMost = (a: unknown, b: unknown): boolean => (a as number) <= (b as number);

/** Returns whether two values have an order. Notes it if they have none at all, as a word and a number have not. */
function isOrdered(test: typeof isLess, [a, b]: [unknown, unknown], { evaluation }: Scope): boolean {
  if (!isAtMost(a, b) && !isLess(b, a)) evaluation.hasNaN = true;
  return test(a, b);
}

/** Tests two values, or whether a value is between two others. */
function isAscending(test: typeof isLess, [a, b, c]: unknown[], scope: Scope): boolean {
  return isOrdered(test, [a, b], scope) && (c === undefined || isOrdered(test, [b, c], scope));
}

const parsed = (value: unknown): number => Number.parseFloat(String(value));

/** Returns the only factor as it is. */
function productOf(factors: unknown[], scope: Scope): unknown {
  if (factors.length === 0) throw new Error('* needs a number');
  const product = factors.reduce((left, right) => parsed(left) * parsed(right));
  return typeof product === 'number' ? numberOf(product, scope) : product;
}

function numberOf(result: number, { evaluation }: Scope): number {
  if (Number.isNaN(result)) evaluation.hasNaN = true;
  return result;
}

function isIn(part: unknown, whole: unknown): boolean {
  if (typeof whole === 'string') return whole !== '' && includesText(whole, String(part));
  return Array.isArray(whole) && whole.some((item) => item === part);
}

/** Cuts as `substr` of JavaScript. A negative end leaves out so many characters, as in PHP. */
function partOfText([source, start, end]: unknown[]): string {
  const rest = String(source).slice(wholeNumberOf(start));
  if (end === undefined) return rest;
  const length = isLess(end, 0) && typeof end === 'number' ? rest.length + end : end;
  return rest.slice(0, Math.max(0, wholeNumberOf(length)));
}

const wholeNumberOf = (value: unknown): number => Math.trunc(Number(value)) || 0;

const lengthOf = (value: unknown): number => {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  throw new Error('length needs a text, a list or an object');
};
