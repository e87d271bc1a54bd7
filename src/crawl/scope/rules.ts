import { withoutParameters } from '../../text/urls.rules.ts';
import type { PageReason } from '../reasons.rules.ts';
import { compilePattern, type PathMatch } from './patterns.rules.ts';
import { hostWithoutWww, keysOf, pageUrlOf, trapOf } from './urls.rules.ts';

/** The settings of a datasource about its pages. */
export interface SiteSettings {
  url: string;
  includes_www: boolean;
  include_paths: string[];
  exclude_paths: string[];
  /** Query parameters that do not change a page. */
  ignored_parameters: string[];
}

/** The pages of a datasource. */
export interface Site {
  start: URL;
  startKey: string;
  host: string;
  /** The path prefix of its pages. */
  path: string;
  isOnSite(url: URL): boolean;
  ignoredParameters: readonly string[];
  /** Returns the URL without the parameters that do not change a page. */
  clean(url: URL): URL;
  /**
   * Returns the reason not to fetch a URL, or undefined if it may be fetched. `isWanted`: a user requested this URL.
   */
  refusalOf(url: URL, page: { depth: number; isWanted: boolean }): PageReason | undefined;
  /** Returns the reason not to store a fetched page, or undefined if it may be stored. */
  omissionOf(url: URL): PageReason | undefined;
}

/** Returns the path prefix of a start URL's pages. If the URL names a file, that is its directory. */
export function scopePathOf(start: URL): string {
  const path = start.pathname;
  const begin = path.lastIndexOf('/') + 1;
  return path.includes('.', begin) ? path.slice(0, begin) : path;
}

export function siteOf({ url, includes_www, include_paths, exclude_paths, ignored_parameters }: SiteSettings): Site {
  const start = pageUrlOf(url);
  const path = scopePathOf(start);
  const startKey = keysOf(start).key;
  const isBelowStart = compilePattern(path);
  const includes = include_paths.map(compilePattern);
  const excludes = exclude_paths.map(compilePattern);
  const isAny = (patterns: PathMatch[], at: string) => patterns.some((matches) => matches(at));
  const isStart = (at: URL) => keysOf(at).key === startKey;
  const isOnSite = (at: URL) =>
    at.host === start.host || (includes_www && hostWithoutWww(at) === hostWithoutWww(start));

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
    ignoredParameters: ignored_parameters,
    clean: (at) => (isOnSite(at) ? withoutParameters(at, ignored_parameters) : at),
    refusalOf(at, { depth, isWanted }) {
      if (!isOnSite(at)) return 'other_site';
      if (isWanted) return undefined;
      const trap = trapOf(at, depth);
      if (trap !== undefined) return trap;
      const refusal = pathRefusal(at);
      // The start URL is fetched for its links, even if it is not to be stored.
      return refusal === 'not_included' && isStart(at) ? undefined : refusal;
    },
    omissionOf: (at) => pathRefusal(at),
  };
}
