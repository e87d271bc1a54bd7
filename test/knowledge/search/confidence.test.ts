import { describe, expect, it } from 'vitest';
import { confidenceOf, headedShare, likenessAmong } from '../../../src/knowledge/search/confidence.rules.ts';

const BEST = { question: 20, rarest: 4 };
const passage = (id: string, words: number, headed = 0, likeness: number | null = null) => ({
  ...{ id, words, headed, likeness },
});

describe('the confidence that the best passage has the answer', () => {
  it.each([
    ['a higher score', [passage('a', 8)], [passage('a', 6)]],
    ['a heading with the question’s words', [passage('a', 6, 0.8)], [passage('a', 6, 0.2)]],
    ['a likeness to the question', [passage('a', 6, 0, 4)], [passage('a', 6, 0, 2)]],
    [
      'a lead of that likeness',
      [passage('a', 6, 0, 4), passage('b', 6, 0, 1)],
      [passage('a', 6, 0, 4), passage('b', 6, 0, 5)],
    ],
    ['a lead over the next item', [passage('a', 6), passage('b', 3)], [passage('a', 6), passage('b', 5)]],
  ])('rises by %s', (_, more, less) => {
    expect(confidenceOf(more, BEST)).toBeGreaterThan(confidenceOf(less, BEST));
  });

  it('measures likeness by what passages of the org have on average', () => {
    const likeness = likenessAmong([0.7, 0.8, 0.9]);
    expect(likeness(0.8)).toBeCloseTo(0);
    expect(likeness(0.9)).toBeCloseTo(Math.sqrt(1.5));
    expect(likenessAmong([0.8, 0.8])(0.8)).toBe(0);
    expect(likenessAmong([])(0.8)).toBe(0);
  });

  it('does not count passages of the same item as rivals', () => {
    const alone = confidenceOf([passage('a', 6)], BEST);
    expect(confidenceOf([passage('a', 6), passage('a', 6)], BEST)).toBe(alone);
    expect(confidenceOf([], BEST)).toBe(0);
  });

  it('takes rare words of a question for more than common ones, and words that no passage has for the most', () => {
    const question = new Map([
      ['zeppe', 4],
      ['price', 1],
    ]);
    expect(headedShare(new Set(['price', 'list']), question)).toBe(0.2);
    expect(headedShare(new Set(['zeppe']), question)).toBe(0.8);
    expect(headedShare(new Set(['zeppe']), new Map())).toBe(0);
  });
});
