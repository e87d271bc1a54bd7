/** The markdown of answers: links, lists, bold, emphasis, code and quotes. Everything else stays text. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'bold'; children: Inline[] }
  | { kind: 'emphasis'; children: Inline[] }
  | { kind: 'link'; href: string; children: Inline[] };

export type Block =
  | { kind: 'paragraph'; lines: Inline[][] }
  | { kind: 'quote'; lines: Inline[][] }
  | { kind: 'code'; text: string }
  | { kind: 'list'; isOrdered: boolean; start: number; items: Inline[][] };

const BULLET = /^ {0,8}(?:[-*+]|\u2022) +(?=\S)/;
const NUMBER = /^ {0,8}(\d{1,4})[.)] +(?=\S)/;
const QUOTE = /^ {0,3}> ?/;
const HEADING = /^ {0,3}#{1,6} +/;
const FENCE = '```';

/** Returns the blocks of a text. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.replace(/\r\n?/g, '\n').split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.trimStart().startsWith(FENCE)) {
      const end = lines.findIndex((other, index) => index > at && other.trim() === FENCE);
      const code = lines.slice(at + 1, end === -1 ? undefined : end);
      blocks.push({ kind: 'code', text: code.join('\n') });
      at += code.length + 1;
    } else addLine(blocks, line, lines[at - 1]?.trim() === '');
  }
  return blocks.filter((block) => block.kind !== 'paragraph' || block.lines.length > 0);
}

function addLine(blocks: Block[], line: string, isBehindGap: boolean): void {
  const last = blocks.at(-1);
  const number = NUMBER.exec(line);
  const marker = number ?? BULLET.exec(line);
  if (marker) {
    const item = inlinesOf(line.slice(marker[0].length));
    const isOrdered = number !== null;
    if (last?.kind === 'list' && last.isOrdered === isOrdered) last.items.push(item);
    else blocks.push({ kind: 'list', isOrdered, start: Number(number?.[1] ?? 1), items: [item] });
  } else if (QUOTE.test(line)) {
    const quoted = textOf(line.replace(QUOTE, '').trim());
    if (last?.kind === 'quote') last.lines.push(quoted);
    else blocks.push({ kind: 'quote', lines: [quoted] });
  } else if (line.trim() === '') {
    if (last?.kind === 'paragraph') blocks.push({ kind: 'paragraph', lines: [] });
  } else if (last?.kind === 'list' && /^ {2,}/.test(line) && !isBehindGap) {
    (last.items.at(-1) as Inline[]).push({ kind: 'text', text: ' ' }, ...inlinesOf(line.trim()));
  } else addText(blocks, line);
}

function addText(blocks: Block[], line: string): void {
  const inlines = textOf(line.trim());
  const last = blocks.at(-1);
  if (last?.kind === 'paragraph') last.lines.push(inlines);
  else blocks.push({ kind: 'paragraph', lines: [inlines] });
}

/** Returns the parts of a line, all in bold if it is a heading. */
function textOf(line: string): Inline[] {
  const heading = HEADING.exec(line);
  return heading ? [{ kind: 'bold', children: inlinesOf(line.slice(heading[0].length)) }] : inlinesOf(line);
}

const URL_START = /https?:\/\//i;
const URL_TAIL = /[.,;:!?'")\]}>*]+$/;

/** Returns the parts of a line. Each character is read a fixed number of times. */
export function inlinesOf(text: string): Inline[] {
  const parts: Inline[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') parts.push({ kind: 'text', text: plain });
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    const found = markAt(text, at);
    if (found === undefined) plain += text[at++];
    else {
      flush();
      parts.push(found.part);
      at = found.end;
    }
  }
  flush();
  return parts;
}

interface Found {
  part: Inline;
  end: number;
}

const MAX_MARK = 2_000;
const WORD = /[\p{L}\p{N}]/u;
const ESCAPED = /^\\[!-/:-@[-`{-~]/;

function markAt(text: string, at: number): Found | undefined {
  const sign = text[at];
  if (ESCAPED.test(text.slice(at, at + 2)))
    return { part: { kind: 'text', text: text[at + 1] as string }, end: at + 2 };
  if (sign === '`') return enclosed(text, at, '`', (inner) => ({ kind: 'code', text: inner }));
  if (text.startsWith('**', at))
    return enclosed(text, at, '**', (inner) => ({ kind: 'bold', children: inlinesOf(inner) }));
  if (text.startsWith('__', at))
    return enclosed(text, at, '__', (inner) => ({ kind: 'bold', children: inlinesOf(inner) }));
  if (sign === '*' || sign === '_') return emphasisAt(text, at, sign);
  if (sign === '[') return linkAt(text, at);
  if (sign === 'h' || sign === 'H') return bareLinkAt(text, at);
  return undefined;
}

function enclosed(text: string, at: number, mark: string, make: (inner: string) => Inline): Found | undefined {
  const begin = at + mark.length;
  const end = text.slice(begin, begin + MAX_MARK).indexOf(mark);
  if (end < 1) return undefined;
  const inner = text.slice(begin, begin + end);
  return inner.trim() === '' ? undefined : { part: make(inner), end: begin + end + mark.length };
}

/** Signs inside of words, as in 2*3*4 or file_name_old, are text. */
function emphasisAt(text: string, at: number, sign: string): Found | undefined {
  const begin = at + 1;
  const window = text.slice(begin, begin + MAX_MARK);
  if (WORD.test(text[at - 1] ?? '') || !/^[^\s*_]/.test(window)) return undefined;
  for (let end = window.indexOf(sign); end !== -1; end = window.indexOf(sign, end + 1)) {
    if (window[end + 1] === sign) end++;
    else if (!/\s/.test(window[end - 1] as string) && !WORD.test(text[begin + end + 1] ?? ''))
      return { part: { kind: 'emphasis', children: inlinesOf(window.slice(0, end)) }, end: begin + end + 1 };
  }
  return undefined;
}

function linkAt(text: string, at: number): Found | undefined {
  const window = text.slice(at, at + MAX_MARK);
  const middle = window.indexOf('](');
  const end = middle === -1 ? -1 : window.indexOf(')', middle);
  if (end === -1) return undefined;
  const label = window.slice(1, middle);
  const href = safeHref(window.slice(middle + 2, end).trim());
  if (href === undefined || label.includes('[')) return undefined;
  const children = inlinesOf(label).filter(({ kind }) => kind !== 'link');
  return {
    part: { kind: 'link', href, children: children.length > 0 ? children : [{ kind: 'text', text: label || href }] },
    end: at + end + 1,
  };
}

function bareLinkAt(text: string, at: number): Found | undefined {
  const window = text.slice(at, at + MAX_MARK);
  if (window.search(URL_START) !== 0 || /\w/.test(text[at - 1] ?? ' ')) return undefined;
  const [word = ''] = window.split(/[\s<]/, 1);
  const url = word.replace(URL_TAIL, '');
  const href = safeHref(url);
  return href === undefined
    ? undefined
    : { part: { kind: 'link', href, children: [{ kind: 'text', text: url }] }, end: at + url.length };
}

/** Returns an http or https address as browsers write it, or undefined. */
export function safeHref(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}
