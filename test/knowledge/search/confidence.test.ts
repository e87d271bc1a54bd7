import type { Closeness } from '../../../src/embedder/embedder.ts';
import answerNetwork from '../../../src/knowledge/embedding/answer-network.json' with { type: 'json' };
import { logOddsOf } from '../../../src/knowledge/search/answer-network.rules.ts';
import { FEATURES, featuresOf } from '../../../src/knowledge/search/closeness-features.rules.ts';
import {
  closenessShareOf,
  confidenceOf,
  headedShare,
  rankByCloseness,
  scoreUnitOf,
  similarityAmong,
  similarityOnScale,
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

const SURE_BY_WORDS = FEATURES.map((name) => (name === 'words' ? 1 : 0));
const NETWORK = {
  features: FEATURES,
  means: FEATURES.map(() => 0.5),
  deviations: FEATURES.map(() => 0.5),
  units: [{ weights: SURE_BY_WORDS, bias: 0, output: 2 }],
  bias: 0.5,
};
const CLOSENESS = { network: NETWORK, even: 0.4, unit: 0.1 };
const NOTHING_CLOSE = {
  ...{ words: 0, sentenceWords: 0, least: 0, secondLeast: 0, title: 0, sentence: 0 },
  ...{ covered: 0, weight: 0, sentences: 1, reading: 0 },
};
const close = (words: number) => ({ ...NOTHING_CLOSE, words });
const own = (id: string, strength: number, closeness?: Closeness) => ({
  ...{ id, strength, closeness, isForeign: false, unitScore: 0, headed: 0, cosine: 0 },
});

describe('a comparison word by word', () => {
  const rank = (share: number) =>
    rankByCloseness([own('a', 0.9, close(0.7)), own('b', 0.8, close(0.9)), own('c', 0.7)], { scale: CLOSENESS, share });

  it('decides the order of the compared passages of a small index, and leaves the others behind them', () => {
    expect(rank(1).map(({ id }) => id)).toEqual(['b', 'a', 'c']);
    expect(rank(0).map(({ id, strength }) => [id, strength])).toEqual([
      ['a', 0.9],
      ['b', 0.8],
      ['c', 0.7],
    ]);
    const [, least, other] = rank(1);
    expect(other?.strength).toBe(least?.strength);
  });

  it('has the strength of the odds that the passage answers', () => {
    const [first] = rankByCloseness([own('a', 0, close(1))], { scale: CLOSENESS, share: 1 });
    expect(logOddsOf(NETWORK, SURE_BY_WORDS)).toBeCloseTo(0.5 + 2 * Math.tanh(1));
    expect(first?.strength).toBeCloseTo(0.4 + 0.1 * (0.5 + 2 * Math.tanh(1)));
  });

  it('tells the network the lead over other items, and over none of the same one', () => {
    const leads = (...ids: [string, string]) =>
      featuresOf([
        { passage: own(ids[0], 0.5), closeness: close(0.9) },
        { passage: own(ids[1], 0.5), closeness: close(0.7) },
      ]).map((row) => row[FEATURES.indexOf('lead in words')]);
    expect(leads('a', 'b')).toEqual([expect.closeTo(0.2), expect.closeTo(-0.2)]);
    expect(leads('a', 'a')).toEqual([null, null]);
  });

  it('counts what is far from all that the network has learned as if it were at the edge of it', () => {
    const odds = [2, 10, 1_000].map((words) =>
      logOddsOf(
        NETWORK,
        FEATURES.map((name) => (name === 'words' ? words : 0)),
      ),
    );
    expect(odds).toEqual([odds[0], odds[0], odds[0]]);
  });

  it('makes it surer without a rival too, the better the words are covered and the passage is read to answer', () => {
    const { network, even, unit } = answerNetwork;
    const confidence = (deviations: number) => {
      const [row = []] = featuresOf([{ passage: own('a', 0.5), closeness: close(0) }]);
      const isOfAnswer = (name: string) =>
        ['reading', 'words', 'sentenceWords', 'least', 'secondLeast', 'covered', 'sentence'].includes(name);
      const values = FEATURES.map((name, nth) =>
        row[nth] === null
          ? null
          : (network.means[nth] ?? 0) + (isOfAnswer(name) ? deviations : 0) * (network.deviations[nth] ?? 1),
      );
      return even + unit * logOddsOf(network, values);
    };
    const [worst = 0, mean = 0, good = 0, best = 0] = [-1, 0, 1, 2.5].map(confidence);
    expect([mean < good, good < best]).toEqual([true, true]);
    expect(Math.max(worst, mean)).toBeLessThan(0.78);
    expect(best).toBeGreaterThan(0.78);
  });

  it('is read by a network that was trained on the same features', () => {
    expect(answerNetwork.network.features).toEqual(FEATURES);
    for (const { weights } of answerNetwork.network.units) expect(weights).toHaveLength(FEATURES.length);
  });

  it('counts for less the more passages there are, and is not made in an index of 100', () => {
    expect([12, 25, 50, 99, 100, 40_000].map(closenessShareOf).map((share) => share.toFixed(2))).toEqual([
      '1.00',
      '1.00',
      '0.50',
      '0.01',
      '0.00',
      '0.00',
    ]);
  });
});

it('measures a known scale from the lower of the two passages in the middle', () => {
  const cosines = new Map([0.9, 0.8, 0.7, 0.6].map((cosine, nth) => [nth, cosine]));
  const scale = { related: 0, betweenLanguages: 0, absolute: 0, relative: 1, closeness: CLOSENESS };
  expect(similarityOnScale(cosines, scale)(0.7, false)).toBeCloseTo(0);
});
