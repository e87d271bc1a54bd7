import {
  bestCosines,
  cosinesOfRare,
  counterpartShare,
  highestOf,
  normalizedRows,
  weightedMean,
  weightOfPiece,
} from '../../src/embedder/token-closeness.rules.ts';

const vector = (...values: number[]) => Float32Array.from(values);
const [east, north] = [vector(1, 0), vector(0, 1)];
const VOCABULARY = { pieces: ['▁the', '▁refund', '?', '▁'], scores: [-6, -14, -5, -4], begin: 0, end: 0, unknown: 0 };

describe('the closeness of a question and a text', () => {
  it('is the highest cosine of each piece of the question, however many the text has', () => {
    expect(bestCosines([east], [north, east, north])).toEqual([1]);
    expect(bestCosines([east, north], [east])).toEqual([1, 0]);
    expect(bestCosines([east], [])).toEqual([-1]);
  });

  it('is the highest of several texts', () => {
    expect(
      highestOf(2, [
        [0.2, 0.9],
        [0.5, 0.1],
      ]),
    ).toEqual([0.5, 0.9]);
    expect(highestOf(2, [])).toEqual([-1, -1]);
  });

  it('counts rare pieces for more, and none without a letter or digit', () => {
    expect(weightedMean([1, 0], [3, 1])).toBe(0.75);
    expect(weightedMean([1], [0])).toBe(-1);
    expect(VOCABULARY.pieces.map((_, id) => weightOfPiece(VOCABULARY, id))).toEqual([0.5, 7, 0, 0]);
    expect(cosinesOfRare([0.1, 0.2, 0.3], [0.5, 7, 2.5])).toEqual([0.2, 0.3]);
  });

  it('is sure of a counterpart that is the same word, and of none that only shares the subject', () => {
    expect(counterpartShare(1)).toBeGreaterThan(0.99);
    expect(counterpartShare(0.9)).toBe(0.5);
    expect(counterpartShare(0.8)).toBeLessThan(0.01);
  });

  it('takes vectors of length 1 from a table', () => {
    expect(normalizedRows(vector(0, 2, 3, 0, 0, 0), 2)).toEqual([north, east, vector(0, 0)]);
  });
});
