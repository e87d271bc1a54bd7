interface Page<Item> {
  items: Item[];
  next: string | null;
}

/**
 * Yields the items of all pages of a list, one page in memory at a time:
 *
 *     for await (const contact of itemsOf((page) => switchboard.listContacts({ query: page }))) …
 */
export async function* itemsOf<Item>(
  readPage: (page: { cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const { items, next } = await readPage(cursor === undefined ? {} : { cursor });
    yield* items;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}
