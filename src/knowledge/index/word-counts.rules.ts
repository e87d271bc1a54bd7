import { analyseMarkdown } from './analysis.rules.ts';

/** Postgres splits a text at the characters between these words. */
const WORD = /[^\s\0-/:-@[-`{-\x9f]+/g;
/** A numbering with more starts over before the next text. */
const MAX_NUMBERED_WORDS = 50_000;
const MAX_NUMBERED_CHARACTERS = 1_000_000;

/** A text in Markdown, and the weight of each of its words. */
export interface WeightedText {
  text: string;
  weight: number;
}

/** The words and grams of a chunk, by their numbers in a numbering. */
export interface WordCounts<Numbers = Uint32Array> {
  /** Each once. */
  numbers: Numbers;
  /** The sum of the weights of each one's occurrences. */
  frequencies: Numbers;
}

/** Words in the order of their numbers. */
export interface AddedWords {
  /** The number of the first. 0: the numbering has started over. */
  from: number;
  words: string[];
}

/** Numbers the words of texts, so that they can be counted in one thread and looked up in another. */
export interface WordNumbering {
  /** Counts the words of a chunk's texts. */
  count(texts: readonly WeightedText[]): WordCounts<number[]>;
  /** Returns the words numbered since the last call. */
  drainAdded(): AddedWords;
  /** Starts over if there are too many words: the next one has the number 0. */
  startOverIfLarge(): void;
}

export function createWordNumbering(): WordNumbering {
  const numberOf = new Map<string, number>();
  /** The place of each number in the counts of the chunk being counted. */
  const places: number[] = [];
  let added: string[] = [];
  let characters = 0;

  const numberFor = (word: string): number => {
    const known = numberOf.get(word);
    if (known !== undefined) return known;
    const own = copyOf(word);
    const number = places.length;
    numberOf.set(own, number);
    places.push(-1);
    added.push(own);
    characters += own.length;
    return number;
  };

  return {
    count(texts) {
      const numbers: number[] = [];
      const frequencies: number[] = [];
      for (const { text, weight } of texts) {
        const { words, grams } = analyseMarkdown(text);
        for (const list of [words.match(WORD) ?? [], grams])
          for (const word of list) {
            const number = numberFor(word);
            const place = places[number] as number;
            if (numbers[place] === number) frequencies[place] = (frequencies[place] as number) + weight;
            else {
              places[number] = numbers.length;
              numbers.push(number);
              frequencies.push(weight);
            }
          }
      }
      return { numbers, frequencies };
    },
    drainAdded() {
      const words = added;
      added = [];
      return { from: places.length - words.length, words };
    },
    startOverIfLarge() {
      if (places.length <= MAX_NUMBERED_WORDS && characters <= MAX_NUMBERED_CHARACTERS) return;
      numberOf.clear();
      places.length = 0;
      added = [];
      characters = 0;
    },
  };
}

/**
 * Copies a word. V8 stores a substring of 13 letters or more as a reference to its text, so that a numbered word would
 * keep the whole text in memory.
 */
const copyOf = (text: string): string => Buffer.from(text).toString();
