/** Elements without content. */
export const VOID = new Set(
  'area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
);

/** Elements that may be closed out of order by an end tag. They then count as a span. */
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));

const BLOCKS = new Set(
  `address article aside blockquote body button caption center colgroup dd details dialog dir div dl dt fieldset figcaption figure
   footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html li listing main marquee menu nav object ol optgroup p plaintext
   pre search section select summary table tbody td template textarea tfoot th thead title tr ul xmp`.split(/\s+/),
);

const CELLS = ['td', 'th', 'caption', 'table', 'template'];
const set = (names: string) => new Set(names.split(' '));

/** The elements closed implicitly by a start tag, and the elements limiting the search for them (HTML, 13.1.2.4). */
const ENDED_BY = new Map<string, { ends: Set<string>; within: Set<string> }>();
const ends = (tags: string, names: string, within: string) => {
  for (const tag of tags.split(' ')) ENDED_BY.set(tag, { ends: set(names), within: set(within) });
};
ends(
  `address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header
hgroup hr main menu nav ol p pre search section table ul`.replaceAll('\n', ' '),
  'p',
  'td th caption table template button object div li section article body',
);
ends('li', 'li', 'ul ol menu dir table td th template');
ends('dt dd', 'dt dd', 'dl table td th template');
ends('tr', 'tr td th caption colgroup', 'table template');
ends('td th', 'td th', 'tr table template');
ends('thead tbody tfoot', 'thead tbody tfoot tr td th caption colgroup', 'table template');
ends('option', 'option', 'select datalist optgroup');
ends('optgroup', 'option optgroup', 'select');
ends('body', 'head', 'html');

/** Maximum search depth for an end tag. Without it, a page of stray end tags would take quadratic time. */
const MAX_SEARCHED_DEPTH = 256;

/** Returns the stack index of the open element closed by a start tag, or -1. */
export function endedByStart(name: string, stack: readonly string[]): number {
  const rule = ENDED_BY.get(name);
  if (rule === undefined) return -1;
  let found = -1;
  for (let at = stack.length - 1, last = Math.max(0, at - MAX_SEARCHED_DEPTH); at >= last; at--) {
    const open = stack[at] ?? '';
    if (rule.ends.has(open)) found = at;
    else if (rule.within.has(open)) break;
  }
  return found;
}

/**
 * Returns the stack index of the element closed by an end tag, and whether other open elements lie above it. undefined:
 * a stray end tag.
 */
export function endedByEnd(name: string, stack: readonly string[]): { at: number; isCrossed: boolean } | undefined {
  const isBlock = BLOCKS.has(name);
  const isOfTable = name.startsWith('t') && name !== 'title' && name !== 'textarea' && name !== 'tt';
  let isCrossed = false;
  for (let at = stack.length - 1, last = Math.max(0, at - MAX_SEARCHED_DEPTH); at >= last; at--) {
    const open = stack[at] ?? '';
    if (open === name) return { at, isCrossed };
    if (isOfTable ? open === 'table' : CELLS.includes(open)) return undefined;
    if (isBlock || !BLOCKS.has(open)) continue;
    if (!FORMATTING.has(name)) return undefined;
    isCrossed = true;
  }
  return undefined;
}
