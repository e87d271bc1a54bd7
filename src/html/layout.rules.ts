import { compile, type DomNode, type FormatCallback, type SelectorDefinition } from 'html-to-text';
import { withoutEdges } from '../text/edges.rules.ts';

/** Deeper lists and quotations are not moved further: each level lengthens all of its lines. */
const MAX_MARKED_LEVELS = 10;
const MAX_LINK_LENGTH = 2_000;
/** More lines or cells than that are in no Roman number. */
const MAX_ROMAN_NUMBER = 3_999;
/** Mail programs write such a line above the header of an earlier message. */
const RULE = '_'.repeat(32);

export const BLOCKS =
  'address article aside body caption center dd details dl dt fieldset figcaption figure footer form header hgroup legend li main nav section summary table'.split(
    ' ',
  );
export const LISTS = ['ol', 'ul'];
const BLOCK = { leadingLineBreaks: 1, trailingLineBreaks: 1 };
const PARAGRAPH = { leadingLineBreaks: 2, trailingLineBreaks: 2 };
export const HIDDEN = ['head', 'title', 'template'];
const LINE_KEEPING = ['div', 'p'].flatMap((tag) =>
  ['white-space:pre', 'white-space: pre'].map((style) => `${tag}[style*="${style}"]`),
);
/** How mail programs mark an earlier message that is no blockquote. */
const QUOTATIONS = '.gmail_quote .yahoo_quoted .protonmail_quote .tutanota_quote .moz-forward-container'
  .split(' ')
  .map((name) => `div${name}`);
/** Outlook separates the header of an earlier message from the answer by the border of its element. */
const REPLY_HEADERS = ['border-top:solid', 'border-top: solid'].map((style) => `div[style*="${style}"]`);

const FORWARDED = /^\s*-{4,}/;
const INDENTED = /border\s*:\s*(?:none|0)/i;
const BORDERED = /border-left/i;
const LINKED = /^(?:https?:\/\/|ftp:\/\/|tel:|sms:|[^\s:/?#]+@)/i;

const formatters: Record<string, FormatCallback> = {
  image(element, _walk, builder) {
    builder.addInline(element.attribs?.alt ?? '');
  },

  link(element, walk, builder) {
    if (levelsOf(element, ['a']) > 1) return walk(element.children, builder);
    const words: string[] = [];
    builder.pushWordTransform((word) => {
      words.push(word);
      return word;
    });
    walk(element.children, builder);
    builder.popWordTransform();
    const address = linkOf(element);
    if (address !== '' && bare(address) !== bare(words.join('')))
      builder.addInline(` <${address}>`, { noWordTransform: true });
  },

  /** Shows the cells of a row in one line, unless one of them has several. */
  row(element, walk, builder) {
    builder.openTable();
    builder.openTableRow();
    for (const child of element.children) {
      const isCell = child.name === 'td' || child.name === 'th';
      if (!isCell && (child.data ?? '').trim() === '' && child.type === 'text') continue;
      builder.openTableCell();
      walk(isCell ? child.children : [child], builder);
      builder.closeTableCell();
    }
    builder.closeTableRow();
    builder.closeTable({ tableToString: ([cells = []]) => rowOf(cells.map(({ text }) => text.trim())), ...BLOCK });
  },

  quotation(element, walk, builder) {
    const isMarked = isQuotation(element) && levelsOf(element, ['blockquote']) <= MAX_MARKED_LEVELS;
    builder.openBlock({ leadingLineBreaks: 1 });
    walk(element.children, builder);
    builder.closeBlock({ trailingLineBreaks: isMarked ? 2 : 1, ...(isMarked && { blockTransform: quoted }) });
  },

  replyHeader(element, walk, builder) {
    builder.openBlock({ leadingLineBreaks: 2 });
    builder.addLiteral(RULE);
    builder.addLineBreak();
    walk(element.children, builder);
    builder.closeBlock({ trailingLineBreaks: 1 });
  },

  list(element, walk, builder, options) {
    const { formatters: known } = builder.options;
    const isDeep = levelsOf(element, LISTS) > MAX_MARKED_LEVELS;
    const format = isDeep ? known.block : element.name === 'ol' ? known.orderedList : known.unorderedList;
    format?.(element.name === 'ol' ? numbered(element) : element, walk, builder, options);
  },
};

const selectors: SelectorDefinition[] = [
  ...BLOCKS.map((selector) => ({ selector, format: 'block', options: BLOCK })),
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p'].map((selector) => ({ selector, format: 'block', options: PARAGRAPH })),
  { selector: 'p.MsoNormal', format: 'block', options: BLOCK },
  ...HIDDEN.map((selector) => ({ selector, format: 'skip' })),
  ...LINE_KEEPING.map((selector) => ({ selector, format: 'pre', options: BLOCK })),
  ...[...QUOTATIONS, 'blockquote'].map((selector) => ({ selector, format: 'quotation' })),
  ...REPLY_HEADERS.map((selector) => ({ selector, format: 'replyHeader' })),
  ...LISTS.map((selector) => ({ selector, format: 'list', options: PARAGRAPH })),
  { selector: 'tr', format: 'row' },
  { selector: 'a', format: 'link' },
  { selector: 'img', format: 'image' },
  { selector: 'hr', format: 'blockString', options: { string: RULE } },
];

/** Converts HTML that is not nested deeply: the converter calls itself for each level. */
export const layoutOf = compile({ wordwrap: false, baseElements: { selectors: [] }, formatters, selectors });

/** Returns how many elements of these names an element is in, itself included, up to one more than are marked. */
function levelsOf(element: DomNode, names: string[]): number {
  let levels = 0;
  for (let at: DomNode | undefined = element; at && levels <= MAX_MARKED_LEVELS; at = at.parent ?? undefined)
    if (names.includes(at.name ?? '')) levels++;
  return levels;
}

/**
 * Returns whether the content is an earlier message. Gmail and Outlook indent by a blockquote without a border. The element
 * around an attribution with its blockquote is none either, nor is one around a message that is passed on.
 */
function isQuotation({ name, attribs = {}, children }: DomNode): boolean {
  const { style = '', class: names = '', type = '' } = attribs;
  if (name === 'blockquote') return type === 'cite' || names !== '' || !INDENTED.test(style) || BORDERED.test(style);
  return !hasBlockquote(children) && !FORWARDED.test(beginningOf(children));
}

/** Looks through the first elements only: the blockquote follows right behind the attribution. */
function hasBlockquote(children: DomNode[]): boolean {
  const left = children.slice(0, 100);
  for (let looked = 0; looked < 200; looked++) {
    const node = left.shift();
    if (node === undefined) return false;
    if (node.name === 'blockquote') return true;
    left.push(...(node.children ?? []).slice(0, 100));
  }
  return false;
}

/** Returns the first text in the nodes that is more than space. */
function beginningOf(nodes: DomNode[]): string {
  let at = nodes.find(isShown);
  while (at !== undefined && at.type !== 'text') at = at.children?.find(isShown);
  return at?.data ?? '';
}

const isShown = ({ type, data = '' }: DomNode): boolean => type === 'tag' || (type === 'text' && data.trim() !== '');

const quoted = (text: string): string =>
  withoutEdges(text, '\n')
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');

const rowOf = (cells: string[]): string =>
  cells.some((text) => text.includes('\n'))
    ? cells.filter((text) => text !== '').join('\n')
    : withoutEdges(cells.join(' | '), ' |');

/** Returns the address of a link, if it leads to somewhere outside of the document. */
function linkOf({ attribs = {} }: DomNode): string {
  const href: string = (attribs.href ?? '').trim().replace(/^mailto:/i, '');
  return href.length <= MAX_LINK_LENGTH && LINKED.test(href) ? href.replace(/\s/g, '%20') : '';
}

/** Returns an address without what a text shows it without. */
const bare = (address: string): string =>
  address
    .replace(/^(?:https?:\/\/(?:www\.)?|www\.|tel:|sms:)/i, '')
    .replace(/\/$/, '')
    .toLowerCase();

/** Returns a list with a beginning and a style that its numbers have. */
function numbered(list: DomNode): DomNode {
  const start = Number(list.attribs?.start ?? 1);
  const isCounted = Number.isSafeInteger(start) && start > 0 && start + list.children.length <= MAX_ROMAN_NUMBER;
  return isCounted ? list : { ...list, attribs: { start: Number.isSafeInteger(start) ? `${start}` : '1' } };
}
