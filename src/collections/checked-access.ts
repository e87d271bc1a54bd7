/** Returns the element at an index, counted from the end if it is negative. Throws if there is none. */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const element = list[index < 0 ? list.length + index : index];
  if (element === undefined) throw new Error(`There is no element at ${index} of ${list.length}`);
  return element;
}

/** Returns the value of a key. Throws if there is none. */
export function valueAt<K, V>(map: { get(key: K): V | undefined }, key: K): V {
  const value = map.get(key);
  if (value === undefined) throw new Error('There is no value of this key');
  return value;
}

/** Returns the keys of an object that has no others than its type says. */
export const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[];
