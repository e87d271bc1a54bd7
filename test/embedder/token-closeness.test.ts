import { closenessOf, normalizedRows, weightOfPiece } from '../../src/embedder/token-closeness.rules.ts';

const vector = (...values: number[]) => Float32Array.from(values);
const [east, north] = [vector(1, 0), vector(0, 1)];
const VOCABULARY = { pieces: ['▁the', '▁refund', '?', '▁'], scores: [-6, -14, -5, -4], begin: 0, end: 0, unknown: 0 };

describe('the closeness of a question and a text', () => {
  it('is the highest cosine of each piece of the question, however many the text has', () => {
    expect(closenessOf({ states: [east], weights: [1] }, [north, east, north])).toBe(1);
    expect(closenessOf({ states: [east, north], weights: [1, 1] }, [east])).toBe(0.5);
    expect(closenessOf({ states: [east], weights: [1] }, [])).toBe(-1);
  });

  it('counts rare pieces for more, and none without a letter or digit', () => {
    expect(closenessOf({ states: [east, north], weights: [3, 1] }, [east])).toBe(0.75);
    expect(VOCABULARY.pieces.map((_, id) => weightOfPiece(VOCABULARY, id))).toEqual([0.5, 7, 0, 0]);
    expect(closenessOf({ states: [east], weights: [0] }, [east])).toBe(-1);
  });

  it('takes vectors of length 1 from a table', () => {
    expect(normalizedRows(vector(0, 2, 3, 0, 0, 0), 2)).toEqual([north, east, vector(0, 0)]);
  });
});
