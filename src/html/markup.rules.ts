/** A tag by its name. Attributes without `<` end it in linear time, also where the `>` is missing. */
const TAG = /<(\/?)([a-z][a-z\d]*)(?:[\s/][^<>]*)?>/gi;
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const ELEMENTS = new Set(
  `a abbr address article aside b big blockquote body button caption center cite code dd del details dfn div dl dt em figcaption
   figure font footer form h1 h2 h3 h4 h5 h6 head header html i ins kbd label li main mark nav ol p pre q s samp section small span
   strike strong style sub summary sup table tbody td tfoot th thead title tr tt u ul var`.split(/\s+/),
);

/**
 * Returns whether a body is HTML: it has a complete element of HTML, such as `<p>…</p>` or `<br>`. An address in angle brackets
 * is none.
 */
export function looksLikeHtml(body: string): boolean {
  const opened = new Set<string>();
  for (const [, slash, tag = ''] of body.matchAll(TAG)) {
    const name = tag.toLowerCase();
    if (slash === '' && VOID.has(name)) return true;
    if (slash === '' && ELEMENTS.has(name)) opened.add(name);
    if (slash !== '' && opened.has(name)) return true;
  }
  return false;
}
