import {
  confidenceOf,
  headedShare,
  scoreUnitOf,
  similarityAmong,
  strengthOf,
} from '../../../src/knowledge/search/confidence.rules.ts';

const UNIT = 4;
const passage = (words: number, headed = 0, similarity: number | null = null) => ({ words, headed, similarity });
const strong = (id: string, strength: number) => ({ id, strength });

describe('the strength of a passage', () => {
  it.each([
    ['a higher score', passage(8), passage(6)],
    ['a heading with the question’s words', passage(6, 0.8), passage(6, 0.2)],
    ['a similarity to the question', passage(6, 0, 4), passage(6, 0, 2)],
  ])('rises by %s', (_, more, less) => {
    expect(strengthOf(more, UNIT)).toBeGreaterThan(strengthOf(less, UNIT));
  });

  it('counts a score for less in a long question, in which all passages score high', () => {
    const rarities = (words: number) => new Map(Array.from({ length: words }, (_, nth) => [`word ${nth}`, 3]));
    const [short, long] = [scoreUnitOf(rarities(3), 4), scoreUnitOf(rarities(12), 4)];
    expect(strengthOf(passage(6), long)).toBeLessThan(strengthOf(passage(6), short));
    expect(strengthOf(passage(24), long)).toBeGreaterThan(strengthOf(passage(6), short));
  });
});

describe('the confidence that the strongest passage has the answer', () => {
  it('rises by its strength, and by a lead over the next item', () => {
    expect(confidenceOf([strong('a', 2), strong('b', 1)])).toBeGreaterThan(
      confidenceOf([strong('a', 1.5), strong('b', 0.5)]),
    );
    expect(confidenceOf([strong('a', 2), strong('b', 1)])).toBeGreaterThan(
      confidenceOf([strong('a', 2), strong('b', 1.5)]),
    );
  });

  it('measures similarity by the median of the org’s passages and by their top percent', () => {
    const similarity = similarityAmong(Array.from({ length: 1_000 }, (_, nth) => (nth / 1_000) ** 8));
    expect(similarity(0.499 ** 8)).toBeCloseTo(0);
    expect(similarity(0.989 ** 8)).toBeCloseTo(1);
    expect(similarityAmong([0.8, 0.8])(0.8)).toBe(0);
    expect(similarityAmong([0.8])(0.8)).toBe(0);
    expect(similarityAmong([])(0.8)).toBe(0);
  });

  it.each([2, 3, 4, 10, 50])(
    'finds no passage of %i far more alike than the others, however alike those are',
    (count) => {
      const others = Array.from({ length: count - 1 }, (_, nth) => 0.7 + nth * 1e-6);
      const similarity = similarityAmong([...others, 0.8]);
      expect(similarity(0.8)).toBeGreaterThan(0.5);
      expect(similarity(0.8)).toBeLessThanOrEqual(count / Math.sqrt(count - 1) / 2 + 1e-3);
    },
  );

  it('does not count passages of the same item as rivals', () => {
    expect(confidenceOf([strong('a', 2), strong('a', 2)])).toBe(confidenceOf([strong('a', 2)]));
    expect(confidenceOf([])).toBe(0);
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
