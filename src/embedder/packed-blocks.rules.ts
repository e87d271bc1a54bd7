import { BLOCK_SIZE } from './packed-model.ts';

export const BYTES_PER_BLOCK = BLOCK_SIZE / 2;
/** The bytes of a block's scale before its weights. */
const SCALE_BYTES = 2;

/**
 * Separates the scales of blocks from their 4-bit weights. In a packed block the two weights of a byte are half a block
 * apart. Here they are neighbors, as ONNX Runtime reads them.
 */
export function splitBlocks(packed: Buffer): { scales: Buffer; weights: Buffer } {
  const blocks = packed.length / (SCALE_BYTES + BYTES_PER_BLOCK);
  const scales = new Float32Array(blocks);
  const weights = Buffer.alloc(blocks * BYTES_PER_BLOCK);
  for (let block = 0; block < blocks; block++) {
    const from = block * (SCALE_BYTES + BYTES_PER_BLOCK);
    scales[block] = halfFloat(packed.readUInt16LE(from));
    for (let pair = 0; pair < BYTES_PER_BLOCK / 2; pair++) {
      const first = packed[from + SCALE_BYTES + 2 * pair] ?? 0;
      const second = packed[from + SCALE_BYTES + 2 * pair + 1] ?? 0;
      const to = block * BYTES_PER_BLOCK + pair;
      weights[to] = (first & 0x0f) | ((second & 0x0f) << 4);
      weights[to + BYTES_PER_BLOCK / 2] = (first >> 4) | (second & 0xf0);
    }
  }
  return { scales: Buffer.from(scales.buffer), weights };
}

/** Returns the value of a 16-bit float (IEEE 754 binary16) that is a number. */
export function halfFloat(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = (bits & 0x3ff) / 1024;
  return sign * (exponent === 0 ? 2 ** -14 * fraction : 2 ** (exponent - 15) * (1 + fraction));
}

/** Returns a table of 32-bit floats with one more row added to each of its rows. */
export function addToRows(table: Buffer, row: Buffer): Buffer {
  const sum = Buffer.from(table);
  for (let at = 0; at < sum.length; at += 4)
    sum.writeFloatLE(sum.readFloatLE(at) + row.readFloatLE(at % row.length), at);
  return sum;
}
