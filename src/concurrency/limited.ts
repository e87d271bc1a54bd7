/** Does `work` for each item, in their order, and for `width` of them at a time. Rejects with the first failure. */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

/** Returns a function that does the work of a key once at a time: callers meanwhile get the same result, or failure. */
export function shareByKey<Result>(): (key: string, work: () => Promise<Result>) => Promise<Result> {
  const underWay = new Map<string, Promise<Result>>();
  return (key, work) => {
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const started = work().finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  };
}
