const BYTES_PER_VALUE = 16;
const BYTES_PER_FIELD = 24;
const BYTES_PER_CONTAINER = 64;

/**
 * Returns roughly the bytes that a value from JSON takes in memory. Many small lists take more than ten times the length
 * of their JSON.
 */
export function heapSizeOf(value: unknown): number {
  if (typeof value === 'string') return BYTES_PER_VALUE + 2 * value.length;
  if (typeof value !== 'object' || value === null) return BYTES_PER_VALUE;
  let bytes = BYTES_PER_CONTAINER;
  if (Array.isArray(value)) for (const item of value) bytes += heapSizeOf(item);
  else for (const item of Object.values(value)) bytes += BYTES_PER_FIELD + heapSizeOf(item);
  return bytes;
}
