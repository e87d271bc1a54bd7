import { elementAt } from '../collections/checked-access.ts';

const INT4_BYTES = 4;
const HEADER_BYTES = 5 * INT4_BYTES;
/** Type ids (PostgreSQL, pg_type). */
const TEXT = 25;
const BIGINT = 20;
const BIGINT_BYTES = 8;
/** Matches an element without quotes; NULL would need them. */
const PLAIN = /^(?!null$)[\p{L}\p{N}]+$/iu;

/**
 * Returns `text[]` in PostgreSQL's binary format (array_recv), sent by pg unchanged. Thousands of elements take a
 * fraction of the time of the text format: no quoting here, no parsing there.
 */
export function textArray(values: readonly string[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += Buffer.byteLength(value);
  const buffer = emptyArray(TEXT, values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    const length = buffer.write(value, at + INT4_BYTES);
    buffer.writeInt32BE(length, at);
    at += INT4_BYTES + length;
  }
  return buffer;
}

/**
 * Returns `bigint[]` in PostgreSQL's binary format. The numbers must be whole, not negative, and at most
 * `Number.MAX_SAFE_INTEGER`.
 */
export function bigintArray(values: ArrayLike<number>): Buffer {
  const buffer = emptyArray(BIGINT, values.length, values.length * BIGINT_BYTES);
  let at = HEADER_BYTES;
  for (let nth = 0; nth < values.length; nth++) {
    const value = elementAt(values, nth);
    at = buffer.writeInt32BE(BIGINT_BYTES, at);
    at = buffer.writeUInt32BE(Math.floor(value / 2 ** 32), at);
    at = buffer.writeUInt32BE(value >>> 0, at);
  }
  return buffer;
}

/** Returns a `text[]` as text, for arrays of arrays: `text[][]` cannot contain arrays of different lengths. */
export const arrayLiteral = (values: readonly string[]): string => `{${values.map(quoted).join()}}`;

/** Returns a function that writes the values at some indexes as `arrayLiteral` does. Each value is quoted once. */
export function arrayLiteralsOf(values: readonly string[]): (indexes: Uint32Array) => string {
  const elements = values.map(quoted);
  return (indexes) => `{${Array.from(indexes, (index) => elementAt(elements, index)).join()}}`;
}

/** Quotes an element for array_in (PostgreSQL, 8.15.6). */
const quoted = (value: string): string => (PLAIN.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`);

/**
 * Writes the header (dimensions, null flag, element type, length, lower bound) and leaves room for each element and its
 * length.
 */
function emptyArray(type: number, count: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + count * INT4_BYTES + bytes);
  for (const [nth, field] of [1, 0, type, count, 1].entries()) buffer.writeInt32BE(field, nth * INT4_BYTES);
  return buffer;
}
