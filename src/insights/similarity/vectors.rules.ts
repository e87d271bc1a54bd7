/** Vectors are stored as whole numbers for exact sums: every addition can be taken back. */
const SCALE = 2 ** 11;
const LARGEST = 2 ** 15 - 1;

/** A vector of length 1, times the scale. Only zeros: the model has none for the text, so it is like no other. */
export type StoredVector = Int16Array;

/** The sum of some vectors, and their number. */
export interface VectorSum {
  sum: Int32Array;
  vectors: number;
}

/** Returns a vector of length 1 as it is stored. */
export const storedVectorOf = (vector: Float32Array): StoredVector =>
  Int16Array.from(vector, (part) => Math.max(-LARGEST, Math.min(LARGEST, Math.round(part * SCALE))));

export const bytesOf = ({ buffer, byteOffset, byteLength }: Int16Array | Int32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Reads a vector. The bytes are copied, as those from the database may start at an unaligned offset. */
export const readVector = (bytes: Buffer): StoredVector => new Int16Array(new Uint8Array(bytes).buffer);
export const readSum = (bytes: Buffer): Int32Array => new Int32Array(new Uint8Array(bytes).buffer);

/** Returns an empty sum of vectors of this length. */
export const emptySum = (length: number): VectorSum => ({ sum: new Int32Array(length), vectors: 0 });

/** Whether a vector represents a text without one. */
export const isNothing = (vector: StoredVector): boolean => vector.every((part) => part === 0);

/**
 * Adds a vector to a sum, or with -1 takes it away. A sum of nothing takes the length of its first vector. A vector of
 * nothing does not count.
 */
export function addVector(to: VectorSum, vector: StoredVector, times: 1 | -1 = 1): void {
  if (isNothing(vector)) return;
  if (to.vectors === 0 && to.sum.length !== vector.length) to.sum = new Int32Array(vector.length);
  for (let nth = 0; nth < vector.length; nth++) to.sum[nth] = (to.sum[nth] ?? 0) + times * (vector[nth] ?? 0);
  to.vectors += times;
}

/** Adds a sum to another. */
export function addSum(to: VectorSum, added: VectorSum): void {
  for (let nth = 0; nth < added.sum.length; nth++) to.sum[nth] = (to.sum[nth] ?? 0) + (added.sum[nth] ?? 0);
  to.vectors += added.vectors;
}
