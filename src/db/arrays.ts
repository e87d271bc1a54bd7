const INT4_BYTES = 4;
const HEADER_BYTES = 5 * INT4_BYTES;
/** Ids of types (PostgreSQL, pg_type). */
const TEXT = 25;
const BIGINT = 20;
const BIGINT_BYTES = 8;
/** Needs no quotes, and is not NULL. */
const PLAIN = /^(?!null$)[\p{L}\p{N}]+$/iu;

/**
 * `text[]` in the binary format (PostgreSQL, array_recv), which pg sends as it is. Thousands of elements take a fraction of the time that they
 * take as text, which is quoted here and taken apart there.
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

/** `bigint[]` in the same format. The numbers are whole, not negative, and at most `Number.MAX_SAFE_INTEGER`. */
export function bigintArray(values: ArrayLike<number>): Buffer {
  const buffer = emptyArray(BIGINT, values.length, values.length * BIGINT_BYTES);
  let at = HEADER_BYTES;
  for (let nth = 0; nth < values.length; nth++) {
    const value = values[nth] as number;
    at = buffer.writeInt32BE(BIGINT_BYTES, at);
    at = buffer.writeUInt32BE(Math.floor(value / 2 ** 32), at);
    at = buffer.writeUInt32BE(value >>> 0, at);
  }
  return buffer;
}

/** A `text[]` as text, which is for arrays in arrays: `text[]` has none of several lengths. */
export const arrayLiteral = (values: readonly string[]): string => `{${values.map(quoted).join()}}`;

/** As array_in reads it (PostgreSQL, 8.15.6). */
const quoted = (value: string): string => (PLAIN.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`);

/** The header (dimensions, whether any is null, type, how many, the number of the first), and room for each element behind its length. */
function emptyArray(type: number, count: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + count * INT4_BYTES + bytes);
  for (const [nth, field] of [1, 0, type, count, 1].entries()) buffer.writeInt32BE(field, nth * INT4_BYTES);
  return buffer;
}
