/** Returns the URL without slashes at its end. Takes linear time, unlike the pattern `/\/+$/`. */
export function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url.charAt(end - 1) === '/') end--;
  return url.slice(0, end);
}

/** Returns the scheme, host and port of a URL, in one form. Text that is no URL counts as it is. */
export const originOf = (url: string): string => URL.parse(url)?.origin ?? url;

/** Returns whether a URL has the scheme, host and port of one of others. */
export const hasOriginOf = (url: string, others: readonly string[]): boolean =>
  others.some((other) => originOf(other) === originOf(url));

/** Returns the URL of a path below a base with or without slashes at its end. */
export const joinUrl = (base: string, path: string): string => `${withoutTrailingSlashes(base)}${path}`;

/** Returns a URL without these parameters of its query. */
export function withoutParameters(url: URL, names: readonly string[]): URL {
  if (!names.some((name) => url.searchParams.has(name))) return url;
  const clean = new URL(url);
  for (const name of names) clean.searchParams.delete(name);
  return clean;
}
