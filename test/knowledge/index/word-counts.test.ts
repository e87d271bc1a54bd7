import fc from 'fast-check';
import { createNumberTable } from '../../../src/knowledge/index/number-table.rules.ts';
import { createWordNumbering } from '../../../src/knowledge/index/word-counts.rules.ts';

/** The same words found by an expression and counted by a map. */
function counted(text: string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.match(/[^\s\0-/:-@[-`{-\x9f]+/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 2);
  return Object.fromEntries(counts);
}

const letter = fc.constantFrom(...'aaabéжΩ😀09 \t\u00a0\u2028\u3000.-_@~\x7f\x9f\0');
const text = fc.string({ unit: letter, maxLength: 40 }).map((one) => one.normalize('NFKC'));

it('counts the same words as an expression, in one text after another', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
      const numbering = createWordNumbering();
      const words: string[] = [];
      for (const one of texts) {
        const { numbers, frequencies } = numbering.count([{ text: one, weight: 2 }]);
        words.push(...numbering.drainAdded().words);
        expect(Object.fromEntries(numbers.map((number, nth) => [words[number], frequencies[nth]]))).toEqual(
          counted(one),
        );
      }
      expect(new Set(words).size).toBe(words.length);
    }),
  );
});

it('starts over when it has too many words', () => {
  const numbering = createWordNumbering();
  const words = Array.from({ length: 50_001 }, (_, nth) => `w${nth}`);
  for (let from = 0; from < words.length; from += 5_000)
    numbering.count([{ text: words.slice(from, from + 5_000).join(' '), weight: 1 }]);
  expect(numbering.drainAdded()).toEqual({ from: 0, words });
  numbering.startOverIfLarge();
  expect(numbering.count([{ text: 'again w0 again', weight: 1 }])).toEqual({ numbers: [0, 1], frequencies: [2, 1] });
  expect(numbering.drainAdded()).toEqual({ from: 0, words: ['again', 'w0'] });
});

it('tells strings with the same hash apart', () => {
  const table = createNumberTable();
  const strings = Array.from({ length: 300_000 }, (_, nth) => `w${nth}`); // some ten pairs have the same 32 bits
  const numbers = () => strings.map((one) => table.numberOf(`(${one})`, 1, one.length + 1));
  expect(numbers().every((number, nth) => number === nth)).toBe(true);
  expect(numbers().every((number, nth) => number === nth && table.at(number) === strings[nth])).toBe(true);
});
