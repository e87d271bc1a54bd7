import type { FoundUrl } from './found.queries.ts';
import type { Site } from './scope.rules.ts';
import { keysOf, parsePageUrl } from './urls.rules.ts';

const MAX_LINKS_A_PAGE = 2_000;

/** URLs as the queue takes them, each once. */
export function foundAt(
  site: Site,
  links: Iterable<string>,
  { depth, foundOn, redirects = 0 }: { depth: number; foundOn: string | null; redirects?: number },
): FoundUrl[] {
  const found = new Map<string, FoundUrl>();
  for (const link of links) {
    const url = parsePageUrl(link);
    if (url === undefined) continue;
    const { key, path } = keysOf(url);
    if (found.has(key) || key.length > MAX_KEY) continue;
    const refusal = site.refusalOf(url, { depth, isWanted: false }) ?? null;
    found.set(key, { key, path, url: url.href, depth, found_on: foundOn, redirects, refusal });
  }
  return [...found.values()];
}

/** Longer ones would not fit into the database's index. */
const MAX_KEY = 2_400;

/** The different links of a page, as many as are followed. */
export function linksOf(links: string[]): string[] {
  const byKey = new Map<string, string>();
  for (const link of new Set(links)) {
    if (byKey.size >= MAX_LINKS_A_PAGE) break;
    const url = parsePageUrl(link);
    if (url === undefined) continue;
    const { key } = keysOf(url);
    if (key.length <= MAX_KEY && !byKey.has(key)) byKey.set(key, url.href);
  }
  return [...byKey.values()];
}
