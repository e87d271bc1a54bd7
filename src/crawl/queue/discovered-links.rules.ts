import type { Site } from '../scope/rules.ts';
import { keysOf, parsePageUrl } from '../scope/urls.rules.ts';
import type { DiscoveredUrl } from './discovered-links.shared.queries.ts';

const MAX_LINKS_PER_PAGE = 10_000;
/** Limit over all links of a page: many pages are written at once. */
const MAX_CHARACTERS_PER_PAGE = 800_000;

/** The links of a page to follow. */
export interface PageLinks {
  urls: string[];
  /** The number of further links, beyond the limit. */
  cut: number;
}

export const NO_LINKS: PageLinks = { urls: [], cut: 0 };

/** Returns URLs in the form of the queue, each once. `isWanted`: path rules of the datasource do not apply. */
export function discoveredUrlsOf(
  site: Site,
  links: Iterable<string>,
  {
    depth,
    foundOn,
    redirects = 0,
    isWanted = false,
  }: { depth: number; foundOn: string | null; redirects?: number; isWanted?: boolean },
): DiscoveredUrl[] {
  const found = new Map<string, DiscoveredUrl>();
  for (const link of links) {
    const given = parsePageUrl(link);
    if (given === undefined) continue;
    const url = site.clean(given);
    const { key, path } = keysOf(url);
    if (found.has(key)) continue;
    const refusal = site.refusalOf(url, { depth, isWanted }) ?? null;
    found.set(key, { key, path, url: url.href, depth, found_on: foundOn, redirects, refusal });
  }
  return [...found.values()];
}

/** Returns the distinct links of a page, up to the limit, and counts the others. */
export function distinctLinks(links: string[]): PageLinks {
  const byKey = new Map<string, string>();
  let cut = 0;
  let room = MAX_CHARACTERS_PER_PAGE;
  for (const link of new Set(links)) {
    const url = parsePageUrl(link);
    if (url === undefined) continue;
    const { key } = keysOf(url);
    if (byKey.has(key)) continue;
    room -= url.href.length;
    if (byKey.size >= MAX_LINKS_PER_PAGE || room < 0) cut++;
    else byKey.set(key, url.href);
  }
  return { urls: [...byKey.values()], cut };
}
