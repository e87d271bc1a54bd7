/** int4 before each element and five times at the beginning: dimensions, whether any is null, the elements' type, how many, the first one's number. */
const WORD_BYTES = 4;
const HEADER_BYTES = 5 * WORD_BYTES;
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
  let size = HEADER_BYTES;
  for (const value of values) size += WORD_BYTES + Buffer.byteLength(value);
  const buffer = begin(size, TEXT, values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    const length = buffer.write(value, at + WORD_BYTES);
    buffer.writeInt32BE(length, at);
    at += WORD_BYTES + length;
  }
  return buffer;
}

/** `bigint[]` in the same format. The numbers are whole, not negative, and at most `Number.MAX_SAFE_INTEGER`. */
export function bigintArray(values: ArrayLike<number>): Buffer {
  const buffer = begin(HEADER_BYTES + values.length * (WORD_BYTES + BIGINT_BYTES), BIGINT, values.length);
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

function begin(size: number, type: number, count: number): Buffer {
  const buffer = Buffer.allocUnsafe(size);
  for (const [nth, word] of [1, 0, type, count, 1].entries()) buffer.writeInt32BE(word, nth * WORD_BYTES);
  return buffer;
}
