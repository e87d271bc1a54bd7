import type { PageReason } from '../reasons.rules.ts';

export const MAX_URL_LENGTH = 2_000;
/** Longer keys would not fit into the database's index. */
export const MAX_KEY_LENGTH = 2_400;
/** As the domain name system has it (RFC 1035, 2.3.4). */
const MAX_HOST_LENGTH = 253;
const MAX_DEPTH = 20;
/** URLs of one path that differ in their query only: more are a search or a calendar. */
export const MAX_QUERIES_PER_PATH = 50;

const MAX_REPEATS = 3;
/** They say who came from where, not what the page is. */
const TRACKING =
  /^(utm_\w+|_ga|_gl|_hsenc|_hsmi|dclid|fbclid|gbraid|gclid|gclsrc|igshid|jsessionid|mc_cid|mc_eid|mkt_tok|msclkid|phpsessid|srsltid|twclid|wbraid|yclid)$/i;
const PATH_SESSION = /;jsessionid=[^/?]*/gi;

/** A page's address without its fragment. Undefined where it is none over HTTP, or holds a password. */
export function parsePageUrl(text: string, base?: string): URL | undefined {
  const url = URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.hostname === '' || url.hostname.length > MAX_HOST_LENGTH) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  return url;
}

export const hostWithoutWww = (url: URL): string => url.host.replace(/^www\./, '');

/** A path or query in its one spelling (RFC 3986, 6.2.2): upper-case escapes, and none where it is not needed. */
export const normalizeEscapes = (text: string): string =>
  text.replace(/%[0-9a-f]{2}/gi, (written) => {
    const character = String.fromCharCode(Number.parseInt(written.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : written.toUpperCase();
  });

/** What all URLs of a page come down to, and the same without the query. Neither scheme nor "www." tells pages apart. */
export function keysOf(url: URL): { key: string; path: string } {
  const path = hostWithoutWww(url) + normalizeEscapes(url.pathname).replace(PATH_SESSION, '');
  const parameters = new URLSearchParams(url.search);
  for (const name of [...parameters.keys()]) if (TRACKING.test(name)) parameters.delete(name);
  parameters.sort();
  const query = parameters.toString();
  return { key: query === '' ? path : `${path}?${query}`, path };
}

/** Why a URL looks as if there were no end to its like. */
export function trapOf(url: URL, depth: number): PageReason | undefined {
  if (url.href.length > MAX_URL_LENGTH) return 'too_long_url';
  if (depth > MAX_DEPTH) return 'too_deep';
  const counts = new Map<string, number>();
  for (const segment of url.pathname.split('/')) {
    if (segment === '' || /^\d+$/.test(segment)) continue;
    const count = (counts.get(segment) ?? 0) + 1;
    if (count >= MAX_REPEATS) return 'repeated_path';
    counts.set(segment, count);
  }
  return undefined;
}
