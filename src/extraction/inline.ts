import { BLOCK_ELEMENTS, type Child, type Element } from './tree.ts';

/** Settings and state of a page's conversion to Markdown. */
export interface MarkdownContext {
  isKept: (element: Element) => boolean;
  /** Resolves a reference of the page to its absolute http(s) address. */
  resolve: (reference: string) => string | undefined;
  /** Characters left for addresses. Short references to a long base would otherwise multiply the size of a page. */
  addressBudget: number;
}

const MARKUP = /[\\`*_[\]<&~]/;
const CODE_ELEMENTS = new Set(['code', 'kbd', 'samp', 'tt']);
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const STRONG_ELEMENTS = new Set(['strong', 'b']);
/** The text of a heading's link to itself. */
const ANCHOR_TEXT = /^(?:#|¶|§|🔗|permalink|direct link to.{0,200})?$/iu;
const BEGINS_BLOCK = /^(?=#{1,6}(?:\s|$)|[-+*](?:\s|$)|>|={1,}\s*$|-[-\s]*$|~~~|[|:-][|:\s-]*$)/;
const BEGINS_NUMBERED = /^(\d{1,9})(?=[.)](?:\s|$))/;

/** Escapes text, so that Markdown renders it literally. */
function escapeText(text: string): string {
  if (!MARKUP.test(text)) return text;
  return text
    .replace(/\\(?=[!-/:-@[-`{-~]|$)|`|~(?=~)|<(?=[a-z/!?])|&(?=#?\w{1,40};)|\](?=[([:]|$)/gi, '\\$&')
    .replace(/(?<!\s)\*|\*(?!\s)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}

/** Returns the lines of a paragraph, escaped at their beginnings. */
export const paragraphOf = (inline: string): string =>
  linesOf(inline)
    .map((line) => line.replace(BEGINS_BLOCK, '\\').replace(BEGINS_NUMBERED, '$1\\'))
    .join('  \n');

/** Returns inline Markdown on one line, for headings, cells and links. */
export const oneLine = (inline: string): string => linesOf(inline).join(' ');

const linesOf = (inline: string): string[] =>
  inline
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '');

/** Returns an element's children as Markdown within a paragraph. A newline is a line break. */
export function inlineOf(element: Element, context: MarkdownContext): string {
  const pieces: string[] = [];
  for (const child of element.children) addInline(pieces, child, context);
  return pieces.join('');
}

/** Adds a child to a paragraph. Adjacent strong texts are merged. */
export function addInline(pieces: string[], child: Child, context: MarkdownContext): void {
  const more = typeof child === 'string' ? escapeText(child.replace(/\s+/g, ' ')) : inlineElement(child, context);
  const last = pieces.at(-1);
  if (last?.endsWith('**') && more.startsWith('**')) pieces.splice(-1, 1, last.slice(0, -2), more.slice(2));
  else if (more !== '') pieces.push(more);
}

/** Returns an element as Markdown within a paragraph. */
function inlineElement(element: Element, context: MarkdownContext): string {
  const { name, attributes } = element;
  if (!context.isKept(element)) return '';
  if (name === 'br') return '\n';
  if (name === 'img') return escapeText((attributes.alt ?? '').replace(/\s+/g, ' '));
  if (name === 'math' && attributes.alttext) return codeOf(attributes.alttext);
  if (CODE_ELEMENTS.has(name)) return codeOf(rawTextOf(element, context.isKept));
  if (name === 'a') return linkOf(element, context);
  const inline = inlineOf(element, context);
  if (STRONG_ELEMENTS.has(name)) return strongOf(inline);
  return BLOCK_ELEMENTS.has(name) ? ` ${inline} ` : inline;
}

/** Returns link text as a link if it has an address. */
export function linked(text: string, href: string | undefined, context: MarkdownContext): string {
  if (href === undefined || href.startsWith('#') || context.addressBudget <= 0) return text;
  const address = context.resolve(href);
  if (address === undefined) return text;
  context.addressBudget -= address.length;
  return `[${text.replace(/(?<!\\)[[\]]/g, '\\$&')}](${address.replace(/[()]/g, encodeParenthesis)})`;
}

function linkOf(element: Element, context: MarkdownContext): string {
  const inline = inlineOf(element, context);
  const text = oneLine(inline);
  if (ANCHOR_TEXT.test(text)) return '';
  return spacedLike(inline, text.includes('](') ? text : linked(text, element.attributes.href, context));
}

/** Moves the markers next to letters: beside other characters Markdown might not recognize them. */
function strongOf(inline: string): string {
  if (!hasLetterOrDigit(inline) || /[\n`[]|\*\*/.test(inline)) return inline;
  const characters = [...inline];
  const begin = characters.findIndex(hasLetterOrDigit);
  const end = characters.findLastIndex(hasLetterOrDigit) + 1;
  return characters.toSpliced(end, 0, '**').toSpliced(begin, 0, '**').join('');
}

const hasLetterOrDigit = (text: string) => LETTER_OR_DIGIT.test(text);

function codeOf(text: string): string {
  const code = text.replace(/\s+/g, ' ').trim();
  if (code === '') return '';
  const ticks = '`'.repeat(longestRun(code) + 1);
  const pad = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return spacedLike(text, `${ticks}${pad}${code}${pad}${ticks}`);
}

/** Returns the length of the longest run of backticks. */
export const longestRun = (code: string): number =>
  (code.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);

const spacedLike = (original: string, text: string): string =>
  `${/^\s/.test(original) ? ' ' : ''}${text}${/\s$/.test(original) ? ' ' : ''}`;

const encodeParenthesis = (character: string) => (character === '(' ? '%28' : '%29');

/** Returns the text of code unchanged, with its line breaks. */
export function rawTextOf(element: Element, isKept: (element: Element) => boolean): string {
  const parts: string[] = [];
  addRawText(element, isKept, parts);
  return parts.join('');
}

function addRawText(element: Element, isKept: (element: Element) => boolean, parts: string[]): void {
  for (const child of element.children) {
    if (typeof child === 'string') parts.push(child);
    else if (child.name === 'br') parts.push('\n');
    else if (isKept(child)) {
      addRawText(child, isKept, parts);
      if (BLOCK_ELEMENTS.has(child.name) && parts.at(-1)?.endsWith('\n') !== true) parts.push('\n');
    }
  }
}
