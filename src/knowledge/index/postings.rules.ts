/**
 * A lexeme's occurrence in a chunk. `frequency` counts headings three times; `length` is the sum of all frequencies in
 * the chunk.
 */
export interface Hit {
  /** Offset of the chunk's id from its segment's id. */
  offset: number;
  frequency: number;
  length: number;
}

export const FREQUENCY_BITS = 16;
export const LENGTH_BITS = 17;
const maxOfBits = (bits: number) => 2 ** bits - 1;

/**
 * Packs a hit into one number, exact in both JavaScript and `bigint`: 20 bits of offset, 17 of length, 16 of frequency.
 */
export const packHit = ({ offset, frequency, length }: Hit): number =>
  (offset * 2 ** LENGTH_BITS + Math.min(length, maxOfBits(LENGTH_BITS))) * 2 ** FREQUENCY_BITS +
  Math.min(frequency, maxOfBits(FREQUENCY_BITS));
