import type { PageReason } from '../reasons.rules.ts';

export const MAX_URL_LENGTH = 2_000;
/** Longer keys would not fit into the database's index. */
const MAX_KEY_LENGTH = 2_400;
/** The limit of the domain name system (RFC 1035, 2.3.4). */
const MAX_HOST_LENGTH = 253;
const MAX_DEPTH = 20;
/** Maximum URLs with the same path and different queries. More than that is a search page or a calendar. */
export const MAX_QUERIES_PER_PATH = 50;

const MAX_REPEATS = 3;
/** Parameters about the visitor's origin, not about the page. */
const TRACKING =
  /^(utm_\w+|_ga|_gl|_hsenc|_hsmi|dclid|fbclid|gbraid|gclid|gclsrc|igshid|jsessionid|mc_cid|mc_eid|mkt_tok|msclkid|phpsessid|srsltid|twclid|wbraid|yclid)$/i;
/** Session ids in the path, also as ASP.NET writes them. */
const PATH_SESSION = /;(?:jsessionid|phpsessid|sid|session_?id)=[^/?]*|\/\(S\([a-z0-9]{24}\)\)/gi;

/** Parses a page's address and removes its fragment. Returns undefined if it is not HTTP or contains a password. */
export function parsePageUrl(text: string, base?: string): URL | undefined {
  const url = URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.hostname === '' || url.hostname.length > MAX_HOST_LENGTH) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  if (url.href.includes('#')) url.hash = ''; // takes longer than to parse the address
  return url;
}

/** Returns the address of a stored page. Throws if it is none. */
export function pageUrlOf(text: string): URL {
  const url = parsePageUrl(text);
  if (url === undefined) throw new Error('The stored text is not the address of a page');
  return url;
}

export const hostWithoutWww = (url: URL): string => url.host.replace(/^www\./, '');

/** Normalizes the escapes of a path or query (RFC 3986, 6.2.2): upper-case, and only where needed. */
export const normalizeEscapes = (text: string): string =>
  text.replace(/%[0-9a-f]{2}/gi, (written) => {
    const character = String.fromCharCode(Number.parseInt(written.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : written.toUpperCase();
  });

/**
 * Returns the key shared by all URLs of a page, and the same key without the query. Neither scheme nor "www."
 * distinguishes pages. A query that becomes too long by escaping stays as it is. Only the beginning is kept of the key of
 * an address that is too long to be fetched.
 */
export function keysOf(url: URL): { key: string; path: string } {
  const path = shortened(hostWithoutWww(url) + normalizeEscapes(url.pathname).replace(PATH_SESSION, ''));
  if (url.search === '') return { key: path, path };
  const parameters = new URLSearchParams(url.search);
  for (const name of [...parameters.keys()]) if (TRACKING.test(name)) parameters.delete(name);
  parameters.sort();
  const query = parameters.toString();
  if (query === '') return { key: path, path };
  const key = `${path}?${query}`;
  return { key: key.length <= MAX_KEY_LENGTH ? key : shortened(path + normalizeEscapes(url.search)), path };
}

const shortened = (key: string): string => (key.length <= MAX_KEY_LENGTH ? key : key.slice(0, MAX_KEY_LENGTH));

/** Returns the reason to treat a URL as part of an endless series, or undefined. */
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
