/**
 * Parses a list of directives from a robots meta element or X-Robots-Tag. Directives with a value after a colon are
 * ignored.
 */
export function directivesOf(list: string): { isNoindex: boolean; isNofollow: boolean } {
  const names = list.toLowerCase().replace(/[\w-]{1,50}\s{0,10}:\s{0,10}[^\s,]*/g, '');
  const directives = new Set(names.split(/[\s,]+/));
  const isNone = directives.has('none');
  return { isNoindex: isNone || directives.has('noindex'), isNofollow: isNone || directives.has('nofollow') };
}
