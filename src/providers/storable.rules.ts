/** Returns a text storable in any column: without NUL, and without halves of surrogate pairs. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Returns the beginning of a storable text, at most `maxLength` UTF-16 units, without half of a pair at its end. */
export const truncated = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');

/** More levels of JSON are not read: recursion has an end, here and in the database. */
const MAX_DEPTH = 200;

/** Returns JSON whose texts and names are storable in any column. Throws RangeError if it is nested too deep. */
export function storableJson(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new RangeError(`JSON of more than ${MAX_DEPTH} levels is not read`);
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map((item) => storableJson(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const named = Object.entries(withStorableKeys(value));
  return Object.fromEntries(named.map(([name, inside]) => [name, storableJson(inside, depth + 1)]));
}

/**
 * Returns an object with keys storable in any column. A key that becomes equal to another one gets a number, as in
 * `name (2)`, so that no value is lost.
 */
export function withStorableKeys(object: object): object {
  const keys = Object.keys(object);
  const unchanged = new Set(keys.filter((key) => storable(key) === key));
  if (unchanged.size === keys.length) return object;
  const taken = new Set(unchanged);
  const numbers = new Map<string, number>();
  const keyOf = (key: string): string => {
    if (unchanged.has(key)) return key;
    const bare = storable(key);
    let unique = bare;
    for (let n = numbers.get(bare) ?? 2; taken.has(unique); n++) {
      unique = `${bare} (${n})`;
      numbers.set(bare, n + 1);
    }
    taken.add(unique);
    return unique;
  };
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [keyOf(key), value]));
}
