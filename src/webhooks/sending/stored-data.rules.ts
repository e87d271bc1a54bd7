/**
 * Returns the data of a webhook as it will be read from the database. Postgres keeps the keys of jsonb in an order of its
 * own, and a body is to be the same whether its data comes from there or not.
 */
export const dataAsStored = (json: string): Record<string, unknown> =>
  JSON.parse(json, (_, value: unknown) => inOrder(value));

function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareKeys(a, b)));
}

/** Shorter keys come first, then the order of their bytes decides. */
const compareKeys = (a: string, b: string): number =>
  Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b));
