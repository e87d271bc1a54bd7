import { type Chunk, chunksOf } from './chunking.rules.ts';
import type { AddedWords, WeightedText, WordCounts, WordNumbering } from './word-counts.rules.ts';

/** Weight of the nearest headings; headings above them count like the body. */
const HEADING_WEIGHT = 3;
/**
 * In characters. The words of a longer text are counted only while it is written, as they need several times its
 * memory.
 */
export const MAX_COUNTED_LENGTH = 100_000;

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

/** Splits a text into chunks and counts their words. All counts share one buffer, so that a thread can give it away. */
export function numberedPartsOf({ title, markdown }: SplitText, numbering: WordNumbering): NumberedParts {
  numbering.startOverIfLarge();
  const counted = chunksOf(markdown).map(({ body, ...chunk }) => ({
    chunk,
    counts: numbering.count(textsOf(title, { body, ...chunk })),
  }));
  const size = counted.reduce((sum, { counts }) => sum + counts.numbers.length + counts.frequencies.length, 0);
  const buffer = new Uint32Array(size);
  let end = 0;
  const placed = (numbers: readonly number[]): Uint32Array => {
    buffer.set(numbers, end);
    end += numbers.length;
    return buffer.subarray(end - numbers.length, end);
  };
  const parts = counted.map(({ chunk, counts: { numbers, frequencies } }) => ({
    ...chunk,
    counts: { numbers: placed(numbers), frequencies: placed(frequencies) },
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
