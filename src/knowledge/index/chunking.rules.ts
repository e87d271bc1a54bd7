import { type Block, blocksOf } from './markdown-blocks.rules.ts';
import { cutOf } from './prose.rules.ts';

const MIN_CHUNK_LENGTH = 600;
const MAX_CHUNK_LENGTH = 900;

/** A part of a text, found and cited as a unit. The chunks of a text, joined, are the text. */
export interface Chunk {
  /** In UTF-16 code units of the text, as are all offsets. */
  start: number;
  end: number;
  /** The headings above it, from the outermost to the nearest, including a heading at its beginning. */
  path: string[];
  /** Headings inside it, except for a first heading already in `path`. */
  headings: string[];
  /** Its text without headings. */
  body: string;
}

interface Piece {
  start: number;
  end: number;
  heading: Block | undefined;
}

/**
 * Splits Markdown into chunks of 600 to 900 characters, as far as headings, blocks and sentences allow it. Only the
 * last chunk may end with a heading. No chunk ends inside code, a table, a quotation or a list item, so a long one
 * makes a long chunk.
 */
export function chunksOf(markdown: string): Chunk[] {
  const blocks = blocksOf(markdown);
  const chunks: Piece[][] = [];
  let current: Piece[] = [];
  let hasBody = false;
  /** Moves trailing headings to the next chunk. */
  const flush = () => {
    const after = current.findLastIndex(({ heading }) => heading === undefined) + 1;
    chunks.push(current.slice(0, after));
    current = current.slice(after);
    hasBody = false;
  };
  const size = () => (current.at(-1)?.end ?? 0) - (current[0]?.start ?? 0);

  for (const [nth, { start, end, kind }] of blocks.entries()) {
    if (kind === 'heading') {
      if (hasBody && (size() >= MIN_CHUNK_LENGTH || size() + lengthOfSection(blocks, nth) > MAX_CHUNK_LENGTH)) flush();
      current.push({ start, end, heading: blocks[nth] });
      continue;
    }
    let from = start;
    while (from < end) {
      const isTooMuch = size() + end - from > MAX_CHUNK_LENGTH;
      if (isTooMuch && hasBody && (kind === 'whole' || size() >= MIN_CHUNK_LENGTH)) flush();
      const room = Math.max(MAX_CHUNK_LENGTH - size(), MAX_CHUNK_LENGTH - MIN_CHUNK_LENGTH);
      const isLeft = size() + end - from <= MAX_CHUNK_LENGTH || kind === 'whole';
      const after = isLeft
        ? end
        : from + cutOf(markdown.slice(from, end), room - (MAX_CHUNK_LENGTH - MIN_CHUNK_LENGTH), room);
      current.push({ start: from, end: after, heading: undefined });
      hasBody = true;
      from = after;
    }
  }
  return withHeadings(markdown, current.length > 0 ? [...chunks, current] : chunks);
}

/** Returns the length from a heading to the next one. */
function lengthOfSection(blocks: Block[], nth: number): number {
  let after = nth + 1;
  while (blocks[after] !== undefined && blocks[after]?.kind !== 'heading') after++;
  return (blocks[after - 1]?.end ?? 0) - (blocks[nth]?.start ?? 0);
}

function withHeadings(markdown: string, chunks: Piece[][]): Chunk[] {
  let above: Block[] = [];
  return chunks.map((pieces) => {
    const inside = pieces.flatMap(({ heading }) => heading ?? []);
    const isFirst = (heading: Block) => heading.start === pieces[0]?.start;
    let path = titlesOf(above);
    for (const heading of inside) {
      above = [...above.filter(({ level }) => level < heading.level), heading];
      if (isFirst(heading)) path = titlesOf(above);
    }
    return {
      start: pieces[0]?.start ?? 0,
      end: pieces.at(-1)?.end ?? 0,
      path,
      headings: titlesOf(inside.filter((heading) => !isFirst(heading))),
      body: pieces
        .filter(({ heading }) => heading === undefined)
        .map(({ start, end }) => markdown.slice(start, end))
        .join(''),
    };
  });
}

const titlesOf = (headings: Block[]): string[] => headings.map(({ title }) => title).filter((title) => title !== '');
