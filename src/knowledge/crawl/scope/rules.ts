import type { PageReason } from '../reasons.rules.ts';
import { compilePattern, type PathMatch } from './patterns.rules.ts';
import { hostWithoutWww, keysOf, parsePageUrl, trapOf } from './urls.rules.ts';

/** What a datasource says of which pages are its own. */
export interface SiteSettings {
  url: string;
  takes_www: boolean;
  include_paths: string[];
  exclude_paths: string[];
}

/** The pages of a datasource. */
export interface Site {
  start: URL;
  startKey: string;
  host: string;
  /** The path below which its pages are. */
  path: string;
  isOnSite(url: URL): boolean;
  /** Why a URL is not to be fetched; undefined where it is. `isWanted`: a user asked for it by itself. */
  refusalOf(url: URL, page: { depth: number; isWanted: boolean }): PageReason | undefined;
  /** Why a page that is fetched is not to be stored. */
  omissionOf(url: URL): PageReason | undefined;
}

/** The path below which pages belong to a start URL: its directory, where it names a file. */
export function scopePathOf(start: URL): string {
  const path = start.pathname;
  const isFile = /\/[^/]*\.[^/]*$/.test(path);
  return isFile ? path.slice(0, path.lastIndexOf('/') + 1) : path;
}

export function siteOf({ url, takes_www, include_paths, exclude_paths }: SiteSettings): Site {
  const start = parsePageUrl(url) as URL;
  const path = scopePathOf(start);
  const startKey = keysOf(start).key;
  const isBelowStart = compilePattern(path);
  const includes = include_paths.map(compilePattern);
  const excludes = exclude_paths.map(compilePattern);
  const isAny = (patterns: PathMatch[], at: string) => patterns.some((matches) => matches(at));
  const isStart = (at: URL) => keysOf(at).key === startKey;
  const isOnSite = (at: URL) => at.host === start.host || (takes_www && hostWithoutWww(at) === hostWithoutWww(start));

  function pathRefusal(at: URL): PageReason | undefined {
    if (isAny(excludes, at.pathname)) return 'excluded_path';
    if (includes.length > 0) return isAny(includes, at.pathname) ? undefined : 'not_included';
    return isBelowStart(at.pathname) ? undefined : 'outside_path';
  }

  return {
    start,
    startKey,
    host: start.host,
    path,
    isOnSite,
    refusalOf(at, { depth, isWanted }) {
      if (!isOnSite(at)) return 'other_site';
      if (isWanted) return undefined;
      const trap = trapOf(at, depth);
      if (trap !== undefined) return trap;
      const refusal = pathRefusal(at);
      // The start URL is read for its links even where it is not to be stored.
      return refusal === 'not_included' && isStart(at) ? undefined : refusal;
    },
    omissionOf: (at) => pathRefusal(at),
  };
}
