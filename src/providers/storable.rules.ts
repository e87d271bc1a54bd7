/** Returns a text storable in any column: without NUL, and without halves of surrogate pairs. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** More levels of JSON are not read: recursion has an end, here and in the database. */
const MAX_DEPTH = 200;

/** Returns JSON whose texts and names are storable in any column. Throws RangeError if it is nested too deep. */
export function storableJson(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new RangeError(`JSON of more than ${MAX_DEPTH} levels is not read`);
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map((item) => storableJson(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [storable(name), storableJson(inside, depth + 1)]),
  );
}
