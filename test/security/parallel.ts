const LANES = 8;

/** Does the work for all items, some at a time, and gives the results that are not undefined, at most 20. */
export async function inParallel<Item>(
  items: Item[],
  work: (item: Item) => Promise<string | undefined>,
): Promise<string[]> {
  const results: string[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length && results.length < 20) {
      const result = await work(items[next++] as Item);
      if (result !== undefined) results.push(result);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}
