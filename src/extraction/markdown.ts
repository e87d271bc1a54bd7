import type { ChosenContent } from './content.ts';
import {
  addInline,
  inlineOf,
  linked,
  longestRun,
  type MarkdownContext,
  oneLine,
  paragraphOf,
  rawTextOf,
} from './inline.ts';
import { isDataTable, rowsOf, tableOf } from './tables.ts';
import { BLOCK_ELEMENTS, type Child, type Element, isElement } from './tree.ts';

const HEADING = /^h([1-6])$/;
const LISTS = new Set(['ul', 'ol', 'menu', 'dir']);
/** Deeper lists are indented as at this depth. Otherwise indentation could multiply the size of a page. */
const MAX_INDENT_DEPTH = 8;
const MAX_HEADING_LEVEL = 6;
const MAX_ADDRESS_CHARACTERS = 400_000;
const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|highlight|brush)[-:]\s?([\w+#.-]{1,30})/i;

/** The current position in the document. */
interface BlockContext {
  depth: number;
  /** The level of the last heading. */
  heading: { level: number };
}

/**
 * Converts the kept part of a page to Markdown: headings, nested lists, tables, code with its language, absolute links,
 * and images as their text.
 */
export function markdownOf(
  { content, isKept }: ChosenContent,
  resolve: (reference: string) => string | undefined,
): string {
  const context: MarkdownContext = { isKept, resolve, addressBudget: MAX_ADDRESS_CHARACTERS };
  return blocksOf(content.children, context, { depth: 0, heading: { level: 1 } }).join('\n\n');
}

function blocksOf(children: Child[], context: MarkdownContext, block: BlockContext): string[] {
  const blocks: string[] = [];
  const pieces: string[] = [];
  const flush = () => {
    const paragraph = paragraphOf(pieces.splice(0).join(''));
    if (paragraph !== '') blocks.push(paragraph);
  };
  for (const child of children) {
    if (isElement(child) && !context.isKept(child)) continue;
    if (isElement(child) && isBlock(child)) {
      flush();
      blocks.push(...blockOf(child, context, block));
    } else addInline(pieces, child, context);
  }
  flush();
  return blocks;
}

const isBlock = (element: Element) => element.hasBlocks || BLOCK_ELEMENTS.has(element.name) || isQuestion(element);

/** A question above its answer, as in FAQs. */
const isQuestion = ({ name, attributes }: Element) =>
  name === 'summary' ||
  (name === 'button' && (attributes['aria-expanded'] ?? attributes['aria-controls']) !== undefined);

function blockOf(element: Element, context: MarkdownContext, place: BlockContext): string[] {
  const { name } = element;
  const level = HEADING.exec(name)?.[1];
  if (level !== undefined) return headingOf(element, context, place, { level: Number(level) });
  if (isQuestion(element)) {
    const below = Math.min(place.heading.level + 1, MAX_HEADING_LEVEL);
    return headingOf(element, context, place, { level: below, isCounted: false });
  }
  if (name === 'pre') return codeBlockOf(element, context);
  if (LISTS.has(name)) return listOf(element, context, place);
  if (name === 'table') return tableBlocksOf(element, context, place);
  if (name === 'a') return linkedBlocksOf(element, context, place);
  if (name === 'blockquote') return quoteOf(element, context, place);
  if (name === 'dt') return termOf(element, context);
  return blocksOf(element.children, context, place);
}

function headingOf(
  element: Element,
  context: MarkdownContext,
  { heading }: BlockContext,
  { level, isCounted = true }: { level: number; isCounted?: boolean },
): string[] {
  const text = oneLine(inlineOf(element, context))
    .replaceAll('**', '')
    .replace(/(?<=\s)(?=#+$)/, '\\');
  if (text === '') return [];
  if (isCounted) heading.level = level;
  return [`${'#'.repeat(level)} ${text}`];
}

function codeBlockOf(element: Element, { isKept }: MarkdownContext): string[] {
  const code = rawTextOf(element, isKept).replace(/^\n/, '').trimEnd();
  if (code.trim() === '') return [];
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return [`${fence}${languageOf(element)}\n${code}\n${fence}`];
}

/** Returns a code block's language, declared by the block, its content or its surroundings. */
function languageOf(element: Element): string {
  const inner = element.children.filter(isElement).filter(({ name }) => name === 'code');
  for (const one of [element, ...inner, element.parent, element.parent?.parent]) {
    const { class: names = '', 'data-language': language, 'data-lang': lang } = one?.attributes ?? {};
    const said = language ?? lang ?? LANGUAGE.exec(names)?.[1];
    if (said !== undefined && /^[\w+#.-]{1,30}$/.test(said)) return said.toLowerCase();
  }
  return '';
}

function listOf(element: Element, context: MarkdownContext, place: BlockContext): string[] {
  const isIndented = place.depth < MAX_INDENT_DEPTH;
  const inner = { ...place, depth: place.depth + 1 };
  const items: string[] = [];
  let number = element.name === 'ol' ? startOf(element.attributes.start) : undefined;
  for (const child of element.children) {
    const isItem = isElement(child) && child.name === 'li' && context.isKept(child);
    const blocks = blocksOf(isItem ? child.children : [child], context, inner);
    if (blocks.length === 0) continue;
    if (!isIndented) items.push(...blocks);
    else if (!isItem && items.length > 0) items.push(`${items.pop()}\n${indent(tight(blocks), 2)}`);
    else {
      const marker = number === undefined ? '- ' : `${number++}. `;
      items.push(marker + indent(tight(blocks), marker.length).trimStart());
    }
  }
  if (!isIndented) return items;
  return items.length === 0 ? [] : [items.join(items.some((item) => item.includes('\n\n')) ? '\n\n' : '\n')];
}

const startOf = (start: string | undefined) => (/^\d{1,6}$/.test(start ?? '') ? Number(start) : 1);

/** Joins the blocks of a list item: a nested list follows its line without a blank line. */
const tight = (blocks: string[]) =>
  blocks.reduce((text, block, nth) => `${text}${nth > 0 && /^(?:- |\d{1,9}\. )/.test(block) ? '\n' : '\n\n'}${block}`);

const indent = (text: string, width: number) => text.replace(/^(?=.)/gm, ' '.repeat(width));

function tableBlocksOf(element: Element, context: MarkdownContext, place: BlockContext): string[] {
  const captions = element.children.filter(isElement).filter(({ name }) => name === 'caption');
  const rows = rowsOf(element, context.isKept);
  if (rows.length === 0 || !isDataTable(element, rows)) return blocksOf(element.children, context, place);
  return [...captions.flatMap((caption) => blocksOf(caption.children, context, place)), tableOf(rows, context)];
}

/** Converts a link around blocks, such as a card: its first line becomes the link. */
function linkedBlocksOf(element: Element, context: MarkdownContext, place: BlockContext): string[] {
  const [first = '', ...others] = blocksOf(element.children, context, place);
  const [, marks = '', text = ''] = /^(#{1,6} )?([^\n]+)$/.exec(first) ?? [];
  if (text === '' || /\]\(|^[-|>`]|^\d{1,9}\. /.test(text)) return first === '' ? others : [first, ...others];
  return [marks + linked(text, element.attributes.href, context), ...others];
}

function quoteOf(element: Element, context: MarkdownContext, place: BlockContext): string[] {
  const blocks = blocksOf(element.children, context, { ...place, depth: place.depth + 1 });
  if (blocks.length === 0 || place.depth >= MAX_INDENT_DEPTH) return blocks;
  return [blocks.join('\n\n').replace(/^/gm, '> ').replace(/^> $/gm, '>')];
}

function termOf(element: Element, context: MarkdownContext): string[] {
  const blocks = paragraphOf(inlineOf(element, context));
  return blocks === '' ? [] : [/\*\*|\n|^\P{L}/u.test(blocks) ? blocks : `**${blocks}**`];
}
