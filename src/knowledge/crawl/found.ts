import type { FoundUrl } from './found.queries.ts';
import type { Site } from './scope.rules.ts';
import { keysOf, MAX_KEY, parsePageUrl } from './urls.rules.ts';

const MAX_LINKS_A_PAGE = 2_000;
/** Of all its links: many pages are written at once. */
const MAX_CHARACTERS_A_PAGE = 400_000;

/** URLs as the queue takes them, each once. `isWanted`: whatever the datasource's paths say of them. */
export function foundAt(
  site: Site,
  links: Iterable<string>,
  {
    depth,
    foundOn,
    redirects = 0,
    isWanted = false,
  }: { depth: number; foundOn: string | null; redirects?: number; isWanted?: boolean },
): FoundUrl[] {
  const found = new Map<string, FoundUrl>();
  for (const link of links) {
    const url = parsePageUrl(link);
    if (url === undefined) continue;
    const { key, path } = keysOf(url);
    if (found.has(key) || key.length > MAX_KEY) continue;
    const refusal = site.refusalOf(url, { depth, isWanted }) ?? null;
    found.set(key, { key, path, url: url.href, depth, found_on: foundOn, redirects, refusal });
  }
  return [...found.values()];
}

/** The different links of a page, as many as are followed. */
export function linksOf(links: string[]): string[] {
  const byKey = new Map<string, string>();
  let room = MAX_CHARACTERS_A_PAGE;
  for (const link of new Set(links)) {
    const url = parsePageUrl(link);
    if (url === undefined) continue;
    const { key } = keysOf(url);
    if (key.length > MAX_KEY || byKey.has(key)) continue;
    room -= url.href.length;
    if (byKey.size >= MAX_LINKS_A_PAGE || room < 0) break;
    byKey.set(key, url.href);
  }
  return [...byKey.values()];
}
