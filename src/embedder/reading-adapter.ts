import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { halfFloat } from './packed-blocks.rules.ts';

const FILE = new URL('reading-adapter.safetensors', import.meta.url);
const LENGTH_BYTES = 8;
const HALF_BYTES = 2;

const Directory = z.record(
  z.string(),
  z.object({
    dtype: z.literal('F16'),
    shape: z.array(z.int()),
    data_offsets: z.tuple([z.int(), z.int()]),
  }),
);

export interface AdapterTensor {
  dims: number[];
  /** 32-bit floats. */
  bytes: Buffer;
}

/**
 * What makes the encoder a reader of a question and a passage: `NAME.down` and `NAME.up` are added to the weights of its
 * linear layers as their product (LoRA, Hu 2021), and `dense` and `out` make one number of its first token.
 */
export type ReadingAdapter = ReadonlyMap<string, AdapterTensor>;

/** Reads the adapter that comes with the product, of the form safetensors: a directory in JSON, then 16-bit floats. */
export async function readReadingAdapter(): Promise<ReadingAdapter> {
  const bytes = await readFile(FILE);
  const start = LENGTH_BYTES + Number(bytes.readBigUInt64LE());
  const directory = Directory.parse(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, start)));
  return new Map(
    Object.entries(directory).map(
      ([
        name,
        {
          shape,
          data_offsets: [from, to],
        },
      ]) => [name, { dims: shape, bytes: floatsOf(bytes.subarray(start + from, start + to)) }],
    ),
  );
}

const floatsOf = (halves: Buffer): Buffer =>
  Buffer.from(
    Float32Array.from({ length: halves.length / HALF_BYTES }, (_, nth) =>
      halfFloat(halves.readUInt16LE(nth * HALF_BYTES)),
    ).buffer,
  );
