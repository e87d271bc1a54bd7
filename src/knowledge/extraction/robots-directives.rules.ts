/** What a list of directives says, of a robots meta element or of X-Robots-Tag. Some have a value behind a colon, which is none of them. */
export function directivesOf(list: string): { isNoindex: boolean; isNofollow: boolean } {
  const names = list.toLowerCase().replace(/[\w-]{1,50}\s{0,10}:\s{0,10}[^\s,]*/g, '');
  const directives = new Set(names.split(/[\s,]+/));
  const isNone = directives.has('none');
  return { isNoindex: isNone || directives.has('noindex'), isNofollow: isNone || directives.has('nofollow') };
}
