interface Page<Item> {
  items: Item[];
  next: string | null;
}

/**
 * Yields the items of all pages of a list, one page in memory at a time:
 *
 *     for await (const contact of itemsOf((cursor) => switchboard.listContacts({ query: { cursor } }))) …
 */
export async function* itemsOf<Item>(
  readPage: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const { items, next } = await readPage(cursor);
    yield* items;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}
