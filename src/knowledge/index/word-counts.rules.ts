import { analyseMarkdown } from './analysis.rules.ts';
import { createNumberTable } from './number-table.rules.ts';

/** Postgres splits a text at these characters. */
const BETWEEN_WORDS = /[\s\0-/:-@[-`{-\x9f]/;
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
  let table = createNumberTable();
  /** The place of each number in the counts of the chunk being counted. */
  let positions: number[] = [];
  let drained = 0;
  let characters = 0;

  const register = (text: string, from: number, to: number): number => {
    const number = table.numberOf(text, from, to);
    if (number === positions.length) {
      positions.push(-1);
      characters += to - from;
    }
    return number;
  };

  return {
    count(texts) {
      const numbers: number[] = [];
      const frequencies: number[] = [];
      const add = (number: number, weight: number) => {
        const position = positions[number] ?? -1;
        if (numbers[position] === number) frequencies[position] = (frequencies[position] ?? 0) + weight;
        else {
          positions[number] = numbers.length;
          numbers.push(number);
          frequencies.push(weight);
        }
      };
      for (const { text, weight } of texts) {
        const { words, grams } = analyseMarkdown(text);
        for (let at = 0; at < words.length; at++) {
          if (!isInWord(words.charCodeAt(at))) continue;
          const from = at;
          while (++at < words.length && isInWord(words.charCodeAt(at)));
          add(register(words, from, at), weight);
        }
        for (const gram of grams) add(register(gram, 0, gram.length), weight);
      }
      return { numbers, frequencies };
    },
    drainAdded() {
      const from = drained;
      drained = positions.length;
      return { from, words: Array.from({ length: drained - from }, (_, nth) => table.at(from + nth)) };
    },
    startOverIfLarge() {
      if (positions.length <= MAX_NUMBERED_WORDS && characters <= MAX_NUMBERED_CHARACTERS) return;
      table = createNumberTable();
      positions = [];
      drained = 0;
      characters = 0;
    },
  };
}

/** By UTF-16 code unit: whether it belongs to a word. */
const WORD_CODE_UNITS = Uint8Array.from({ length: 0x10000 }, (_, code) =>
  Number(!BETWEEN_WORDS.test(String.fromCharCode(code))),
);
const isInWord = (code: number): boolean => WORD_CODE_UNITS[code] === 1;
