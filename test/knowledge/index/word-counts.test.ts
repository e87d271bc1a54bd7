import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createWordNumbering } from '../../../src/knowledge/index/word-counts.rules.ts';

/** The same words found by an expression and counted by a map. */
function counted(text: string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.match(/[^\s\0-/:-@[-`{-\x9f]+/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 2);
  return Object.fromEntries(counts);
}

const letter = fc.constantFrom(...'aaabé中Ω😀09 \t\u00a0\u2028\u3000.-_@~\x7f\x9f\0');
const text = fc.string({ unit: letter, maxLength: 40 }).map((one) => one.replaceAll('中', 'ж').normalize('NFKC'));

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

it('tells many words apart, also while its table grows', () => {
  const numbering = createWordNumbering();
  const words = Array.from({ length: 40_000 }, (_, nth) => `w${(nth * 2_654_435_761) % 4_294_967_296}`);
  const countAll = () =>
    Array.from({ length: 10 }, (_, nth) => words.slice(nth * 4_000, (nth + 1) * 4_000)).flatMap(
      (some) => numbering.count([{ text: some.join(' '), weight: 1 }]).numbers,
    );
  expect(countAll()).toEqual(words.map((_, nth) => nth));
  expect(numbering.drainAdded().words).toEqual(words);
  expect(countAll()).toEqual(words.map((_, nth) => nth));
});
