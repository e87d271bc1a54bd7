import { elementAt } from '../../collections/checked-access.ts';
/** A run of complete lines forming a unit. Blocks are contiguous: blank lines belong to the block before them. */
export interface Block {
  start: number;
  end: number;
  /** Prose may be split; a whole (code, a table, a list item, a quotation) may not. */
  kind: 'heading' | 'prose' | 'whole';
  /** The level of a heading. */
  level: number;
  /** The text of a heading, without its marks. */
  title: string;
}

interface Line {
  start: number;
  end: number;
  text: string;
}

/** Longer headings count as prose, because each chunk below a heading repeats it. */
const MAX_TITLE_LENGTH = 200;
/** Limit including marks and addresses. */
const MAX_RAW_TITLE_LENGTH = 2_000;

const LINE = /[^\n]*\n|[^\n]+$/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+([^ \t].*)?)?$/s;
const CLOSING_MARKS = /(^|[ \t])#+$/;
const UNDERLINE = /^ {0,3}(=+|-+)$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|\t|$)/;
const QUOTATION = /^ {0,3}>/;
const INDENTED = /^(?: {4}| {0,3}\t)/;
const ROW = /^ {0,3}\|/;
const DELIMITERS = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;
const MARKUP = /^ {0,3}<(pre|table|script|style)\b/i;

/** Splits Markdown into its blocks. Joined, they are the whole text. */
export function blocksOf(markdown: string): Block[] {
  const lines = linesOf(markdown);
  const blocks: Block[] = [];
  for (let nth = 0; nth < lines.length; ) {
    const after = isBlank(lines[nth]) ? nth + 1 : endOfBlock(lines, nth);
    const last = blocks.at(-1);
    const [first, end] = [elementAt(lines, nth), elementAt(lines, after - 1).end];
    if (isBlank(first) && last !== undefined) last.end = end;
    else blocks.push({ start: first.start, end, ...classifyBlock(lines, nth, after) });
    nth = after;
  }
  return blocks;
}

const linesOf = (markdown: string): Line[] =>
  [...markdown.matchAll(LINE)].map(({ 0: line, index }) => ({
    start: index,
    end: index + line.length,
    text: line.trimEnd(),
  }));

const isBlank = (line: Line | undefined): boolean => line === undefined || line.text === '';
const textOf = (lines: Line[], nth: number): string => lines[nth]?.text ?? '';

function classifyBlock(lines: Line[], from: number, after: number): Pick<Block, 'kind' | 'level' | 'title'> {
  const text = textOf(lines, from);
  const [, marks, title = ''] = HEADING.exec(text) ?? [];
  if (marks !== undefined) return headingOf(marks.length, title.replace(CLOSING_MARKS, ''));
  const isWhole = isTable(lines, from) || [FENCE, ITEM, QUOTATION, INDENTED, MARKUP].some((mark) => mark.test(text));
  const underline = after - from > 1 ? UNDERLINE.exec(textOf(lines, after - 1))?.[1] : undefined;
  if (isWhole || underline === undefined) return { kind: isWhole ? 'whole' : 'prose', level: 0, title: '' };
  const title_ = lines.slice(from, after - 1).map(({ text }) => text.trim());
  return headingOf(underline.startsWith('=') ? 1 : 2, title_.join(' '));
}

function headingOf(level: number, written: string): Pick<Block, 'kind' | 'level' | 'title'> {
  const title = written.length > MAX_RAW_TITLE_LENGTH ? written : plainTitle(written);
  return title.length > MAX_TITLE_LENGTH ? { kind: 'prose', level: 0, title: '' } : { kind: 'heading', level, title };
}

/** Returns the line after the block starting at a non-blank line. */
function endOfBlock(lines: Line[], from: number): number {
  const text = textOf(lines, from);
  if (FENCE.test(text)) return endOfFence(lines, from);
  if (HEADING.test(text)) return from + 1;
  if (isTable(lines, from)) return findEnd(lines, from, (nth) => isBlank(lines[nth]));
  if (QUOTATION.test(text)) return findEnd(lines, from, (nth) => isBlank(lines[nth]));
  const [, tag] = MARKUP.exec(text) ?? [];
  if (tag !== undefined) return endOfMarkup(lines, from, tag);
  if (INDENTED.test(text))
    return withoutBlanks(
      lines,
      from,
      findEnd(lines, from, (nth) => !isBlank(lines[nth]) && !INDENTED.test(textOf(lines, nth))),
    );
  if (ITEM.test(text)) return endOfItem(lines, from);
  return endOfParagraph(lines, from);
}

function findEnd(lines: Line[], from: number, isEnd: (nth: number) => boolean): number {
  let nth = from + 1;
  while (nth < lines.length && !isEnd(nth)) nth++;
  return nth;
}

/** Excludes trailing blank lines from a block; the caller handles them next. */
function withoutBlanks(lines: Line[], from: number, after: number): number {
  let end = after;
  while (end > from + 1 && isBlank(lines[end - 1])) end--;
  return end;
}

function endOfFence(lines: Line[], from: number): number {
  const fence = /(`{3,}|~{3,})/.exec(textOf(lines, from))?.[1] ?? '```';
  const closes = (text: string) => {
    const marks = text.trim();
    return marks.length >= fence.length && marks === fence.charAt(0).repeat(marks.length);
  };
  return Math.min(lines.length, findEnd(lines, from, (nth) => closes(textOf(lines, nth))) + 1);
}

function endOfMarkup(lines: Line[], from: number, tag: string): number {
  const closing = new RegExp(`</${tag}\\s*>`, 'i');
  if (closing.test(textOf(lines, from))) return from + 1;
  return Math.min(lines.length, findEnd(lines, from, (nth) => closing.test(textOf(lines, nth))) + 1);
}

const isTable = (lines: Line[], nth: number): boolean => {
  const [text, next] = [textOf(lines, nth), textOf(lines, nth + 1)];
  return ROW.test(text) || (text.includes('|') && next.includes('-') && DELIMITERS.test(next) && next.includes('|'));
};

/** Returns the end of a list item, including indented paragraphs, code and lists. */
function endOfItem(lines: Line[], from: number): number {
  const [mark = ''] = ITEM.exec(textOf(lines, from)) ?? [];
  const inside = mark.trimEnd().length + 1;
  let nth = from + 1;
  while (nth < lines.length) {
    const text = textOf(lines, nth);
    const isInside = indentOf(text) >= inside;
    if (text === '') nth++;
    else if (isInside) nth = /^\s*(`{3,}|~{3,})/.test(text) ? endOfFence(lines, nth) : nth + 1;
    else if (isBlank(lines[nth - 1]) || beginsAnother(lines, nth)) break;
    else nth++;
  }
  return withoutBlanks(lines, from, nth);
}

function indentOf(text: string): number {
  let columns = 0;
  for (const letter of text) {
    if (letter === ' ') columns++;
    else if (letter === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

function endOfParagraph(lines: Line[], from: number): number {
  const after = findEnd(
    lines,
    from,
    (nth) => isBlank(lines[nth]) || UNDERLINE.test(textOf(lines, nth)) || beginsAnother(lines, nth),
  );
  return UNDERLINE.test(textOf(lines, after)) ? after + 1 : after;
}

const beginsAnother = (lines: Line[], nth: number): boolean =>
  [FENCE, HEADING, ITEM, QUOTATION, MARKUP].some((mark) => mark.test(textOf(lines, nth))) || isTable(lines, nth);

/** Returns a heading as plain text, without link addresses and emphasis marks. */
const plainTitle = (text: string): string =>
  text
    .replace(/!?\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*){0,5}\)/g, '$1')
    .replace(/[*`]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
