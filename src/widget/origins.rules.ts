const SUBDOMAINS = '*.';

/**
 * Returns an origin as browsers write it, also one of all subdomains such as https://*.shop.example. Undefined for
 * anything else, such as an address with a path.
 */
export function originPatternOf(text: string): string | undefined {
  const [, scheme = '', wildcard = '', rest = ''] = /^(https?:\/\/)(\*\.)?([^/*]+)\/?$/i.exec(text.trim()) ?? [];
  if (!URL.canParse(scheme + rest)) return undefined;
  const { origin, username, password, search, hash } = new URL(scheme + rest);
  if (origin === 'null' || username + password + search + hash !== '') return undefined;
  return wildcard === '' ? origin : origin.replace('://', `://${SUBDOMAINS}`);
}

/** Returns whether a page of this origin is among those of the patterns. A request without an origin is of no page. */
export function isAllowedOrigin(origin: string | undefined, patterns: readonly string[] | null): boolean {
  if (patterns === null || origin === undefined) return true;
  return patterns.some((pattern) => {
    const [scheme, host = ''] = pattern.split('://');
    if (!host.startsWith(SUBDOMAINS)) return origin === pattern;
    return origin.startsWith(`${scheme}://`) && origin.endsWith(host.slice(1));
  });
}
