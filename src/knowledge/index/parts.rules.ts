import { type Chunk, chunksOf } from './chunking.rules.ts';
import type { AddedWords, WeightedText, WordCounts, WordNumbering } from './word-counts.rules.ts';

/** Weight of the nearest headings; headings above them count like the body. */
const HEADING_WEIGHT = 3;

/** A text to be split. */
export interface SplitText {
  title: string;
  markdown: string;
}

/** A chunk of a text with its words counted. */
export interface TextPart extends Omit<Chunk, 'body'> {
  counts: WordCounts;
}

/** A text's chunks, with the words of each by their numbers in a numbering. */
export interface NumberedParts {
  parts: TextPart[];
  /** The next words of the numbering. */
  added: AddedWords;
}

/** Splits a text into chunks and counts their words. */
export function numberedPartsOf({ title, markdown }: SplitText, numbering: WordNumbering): NumberedParts {
  numbering.startOverIfLarge();
  const parts = chunksOf(markdown).map(({ body, ...chunk }) => ({
    ...chunk,
    counts: numbering.count(textsOf(title, { body, ...chunk })),
  }));
  return { parts, added: numbering.drainAdded() };
}

/** Returns the searchable texts of a chunk. */
export function textsOf(title: string, { path, headings, body }: Chunk): WeightedText[] {
  const trail = [title, ...path];
  return [
    { text: body, weight: 1 },
    { text: [trail.at(-1), ...headings].join('\n'), weight: HEADING_WEIGHT },
    { text: trail.slice(0, -1).join('\n'), weight: 1 },
  ];
}
