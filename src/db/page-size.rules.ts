/** The most characters of JSON in a page of a list, unless a single item has more. */
const MAX_PAGE_CHARACTERS = 2_000_000;

/** Returns the first listed items, as many as a page may have by their lengths in characters, but at least one. */
export function cutToPage<Item extends { characters: number }>(listed: readonly Item[]): Item[] {
  let characters = 0;
  const end = listed.findIndex((item, n) => {
    characters += item.characters;
    return n > 0 && characters > MAX_PAGE_CHARACTERS;
  });
  return end < 0 ? [...listed] : listed.slice(0, end);
}
