const LANES = 8;

/** Works on all items, several at a time, and returns at most 20 results other than undefined. */
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
