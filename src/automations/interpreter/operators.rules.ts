import { isDeepStrictEqual } from 'node:util';
import { includesText } from '../../text/inclusion.rules.ts';
import type { Json, Operator } from '../blocks/schema.ts';

/** A longer text is compared as a text. */
const MAX_NUMBER_CHARACTERS = 100;
const DECIMAL = /^\+?(-?)(\d*)(?:\.(\d*))?$/;
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/**
 * Returns whether the condition of an `if-else` holds. Numbers and texts that are numbers compare as numbers, two texts
 * with all of their digits. Other texts compare by code points. Lists, objects and null have no order: such a
 * comparison is false. `contains` finds a text in a text, an item in a list, or a key in an object. `in` is `contains`
 * with the operands exchanged.
 */
export function evaluateOperator(operator: Operator, left: Json, right: Json): boolean {
  switch (operator) {
    case 'equals':
      return isEqual(left, right);
    case 'not_equals':
      return !isEqual(left, right);
    case 'contains':
      return contains(left, right);
    case 'not_contains':
      return !contains(left, right);
    case 'in':
      return contains(right, left);
    case 'not_in':
      return !contains(right, left);
    case 'starts_with':
      return isScalar(left) && isScalar(right) && String(left).startsWith(String(right));
    case 'ends_with':
      return isScalar(left) && isScalar(right) && String(left).endsWith(String(right));
    case 'greater_than':
      return (compare(left, right) ?? 0) > 0;
    case 'greater_than_or_equal':
      return (compare(left, right) ?? -1) >= 0;
    case 'less_than':
      return (compare(left, right) ?? 0) < 0;
    case 'less_than_or_equal':
      return (compare(left, right) ?? 1) <= 0;
    case 'is_empty':
      return isEmpty(left);
    case 'is_not_empty':
      return !isEmpty(left);
    default:
      return unknownOperator(operator);
  }
}

/** A newer version of the program can have stored an operator that this one does not know. */
function unknownOperator(operator: never): never {
  throw new Error(`unknown operator ${String(operator)}`);
}

function isEqual(left: Json, right: Json): boolean {
  if (isScalar(left) && isScalar(right))
    return left === right || compareNumbers(left, right) === 0 || String(left) === String(right);
  if (left === null || right === null) return left === right;
  return isDeepStrictEqual(left, right);
}

function contains(whole: Json, part: Json): boolean {
  if (Array.isArray(whole)) return includes(whole, part);
  if (isScalar(whole) && isScalar(part)) return includesText(String(whole), String(part));
  return typeof whole === 'object' && whole !== null && typeof part === 'string' && Object.hasOwn(whole, part);
}

/** Serializes an object or a list once, not for each item of the list. */
function includes(list: Json[], part: Json): boolean {
  if (part === null || isScalar(part)) return list.some((item) => isEqual(item, part));
  const wanted = canonicalJson(part);
  return list.some((item) => item !== null && !isScalar(item) && canonicalJson(item) === wanted);
}

function compare(left: Json, right: Json): number | undefined {
  if (!isScalar(left) || !isScalar(right)) return undefined;
  const byNumber = compareNumbers(left, right);
  if (byNumber !== undefined) return byNumber;
  if (typeof left !== 'string' || typeof right !== 'string') return undefined;
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareNumbers(left: Json, right: Json): number | undefined {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a === undefined || b === undefined) return undefined;
  const isOfTexts = typeof left === 'string' && typeof right === 'string';
  return (a === b && isOfTexts ? compareDecimals(left, right) : undefined) ?? a - b;
}

/** Compares texts with more digits than a number has, such as long ids. Undefined for those with an exponent. */
function compareDecimals(left: string, right: string): number | undefined {
  const [a, b] = [decimalOf(left), decimalOf(right)];
  if (a === undefined || b === undefined) return undefined;
  const digits = Math.max(a.fraction.length, b.fraction.length);
  const scaled = ({ sign, whole, fraction }: Decimal) => BigInt(sign + whole + fraction.padEnd(digits, '0'));
  const [x, y] = [scaled(a), scaled(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

interface Decimal {
  sign: string;
  whole: string;
  fraction: string;
}

function decimalOf(text: string): Decimal | undefined {
  const [, sign = '', whole = '', fraction = ''] = DECIMAL.exec(text.trim()) ?? [];
  return whole + fraction === '' ? undefined : { sign, whole, fraction };
}

function numberOf(value: Json): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > MAX_NUMBER_CHARACTERS || !NUMBER.test(value)) return undefined;
  return Number(value);
}

const isScalar = (value: Json): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const isEmpty = (value: Json): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

const canonicalJson = (value: Json): string =>
  JSON.stringify(value, (_, item: Json) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
