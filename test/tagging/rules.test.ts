import fc from 'fast-check';
import { decideTags } from '../../src/tagging/decisions.rules.ts';
import { BUCKETS, featuresOf } from '../../src/tagging/features.rules.ts';
import { type LearntTag, learnTags, type TaggedText } from '../../src/tagging/learning.rules.ts';
import { decodeModel, encodeModel, scoreTexts } from '../../src/tagging/model.rules.ts';
import { thresholdOf } from '../../src/tagging/thresholds.rules.ts';
import { frequenciesOf, rarityOf, vectorsOf } from '../../src/tagging/vectors.rules.ts';
import { textsAbout } from './tagged-texts.ts';

const about = (topic: string, count: number): TaggedText[] =>
  textsAbout(topic, count).map((text) => ({ text, tags: [topic], unsure: [] }));
const TEXTS = [...about('refund', 12), ...about('delivery', 12), ...about('login', 9)];
const named = (tags: LearntTag[], key: string) => tags.find(({ tag_key }) => tag_key === key);

describe('the features of a text', () => {
  it.each([
    ['letter case and accents', 'Café REFUND', 'cafe refund'],
    ['the digits of a number', 'order 1234', 'order 9876'],
    ['spaces and punctuation at the end', 'my  refund!', 'my refund'],
  ])('are the same whatever %s', (_, one, other) => {
    expect(featuresOf(one)).toEqual(featuresOf(other));
  });

  it.each([
    ['other words', 'refund', 'parcel'],
    ['another order of words', 'card lost', 'lost card'],
    ['no clause between two words', 'card lost', 'card, lost'],
    ['other letters of a script without spaces', '退款', '退货'],
  ])('differ with %s', (_, one, other) => {
    expect(featuresOf(one)).not.toEqual(featuresOf(other));
  });

  it('make a vector of length 1 within the buckets, for any text that has words', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), (texts) => {
        const counts = texts.map(featuresOf);
        const { starts, buckets, values } = vectorsOf(counts, rarityOf(frequenciesOf(counts)));
        expect(buckets.every((bucket) => bucket < BUCKETS)).toBe(true);
        counts.forEach(({ buckets: own }, nth) => {
          const squares = values.subarray(starts[nth], starts[nth + 1]).reduce((sum, value) => sum + value * value, 0);
          expect(squares).toBeCloseTo(own.length === 0 ? 0 : 1, 3);
        });
      }),
    );
  });
});

describe('a threshold', () => {
  const guesses = (...right: boolean[]) => right.map((isRight, nth) => ({ isRight, score: -nth }));

  it.each([
    ['9 right ones without an error', guesses(...Array<boolean>(9).fill(true)), -8],
    ['8 right ones, which may be luck', guesses(...Array<boolean>(8).fill(true)), undefined],
    ['errors below', guesses(...Array<boolean>(9).fill(true), false, false), -8],
    ['an error at the top', guesses(false, ...Array<boolean>(9).fill(true)), undefined],
    ['nothing', [], undefined],
  ])('for a precision of 0.9 with %s', (_, given, score) => {
    expect(thresholdOf(given, 0.9)?.score).toBe(score);
  });

  it('is never less precise than asked, and says what it reaches', () => {
    const guess = fc.record({ score: fc.integer({ min: -20, max: 20 }), isRight: fc.boolean() });
    fc.assert(
      fc.property(fc.array(guess, { maxLength: 80 }), fc.constantFrom(0.5, 0.8, 0.9), (given, precision) => {
        const found = thresholdOf(given, precision);
        if (found === undefined) return;
        const taken = given.filter(({ score }) => score >= found.score);
        const right = taken.filter(({ isRight }) => isRight).length;
        expect(found.precision).toBe(right / taken.length);
        expect(found.precision).toBeGreaterThan(precision);
        expect(found.coverage).toBe(right / given.filter(({ isRight }) => isRight).length);
      }),
    );
  });
});

describe('learning tags', () => {
  it('tells topics apart in texts that it has not seen', () => {
    const { tags, model } = learnTags({ texts: TEXTS });
    const [scores = []] = scoreTexts(decodeModel(model), ['could you refund the money']);
    const best = tags[scores.indexOf(Math.max(...scores))];
    expect(best?.tag_key).toBe('refund');
  });

  it('learns nothing about tags with under 10 examples, but counts them', () => {
    const { tags, model } = learnTags({ texts: TEXTS });
    expect(named(tags, 'login')).toEqual({
      tag_key: 'login',
      examples: 9,
      threshold: null,
      suggest_threshold: null,
      precision: null,
      coverage: null,
      state: 'too_few_examples',
    });
    expect(decodeModel(model).classifiers).toHaveLength(2);
  });

  it('gives the same model for the same lesson', () => {
    expect(learnTags({ texts: TEXTS })).toEqual(learnTags({ texts: TEXTS }));
  });

  it('finds no threshold for a tag given by chance', () => {
    const texts = TEXTS.map((one, nth) => ({ ...one, tags: nth % 2 === 0 ? ['chance'] : ['other'] }));
    expect(named(learnTags({ texts }).tags, 'chance')).toMatchObject({ threshold: null, precision: null });
  });

  it('leaves texts out that may have the tag: they count neither for nor against it', () => {
    const unsure = textsAbout('refund', 12).map(
      (text): TaggedText => ({ text, tags: ['delivery'], unsure: ['refund'] }),
    );
    const { tags, model } = learnTags({ texts: [...TEXTS, ...unsure] });
    const refund = tags.findIndex(({ tag_key }) => tag_key === 'refund');
    const [scores = []] = scoreTexts(decodeModel(model), ['I want a refund']);
    expect(scores[refund]).toBeGreaterThan(0);
    const against = unsure.map((one) => ({ ...one, unsure: [] }));
    const other = learnTags({ texts: [...TEXTS, ...against] });
    const [lower = []] = scoreTexts(decodeModel(other.model), ['I want a refund']);
    expect(lower[other.tags.findIndex(({ tag_key }) => tag_key === 'refund')]).toBeLessThan(scores[refund] as number);
  });

  it('learns from nothing without an error', () => {
    expect(learnTags({ texts: [] }).tags).toEqual([]);
    expect(learnTags({ texts: Array<TaggedText>(12).fill({ text: '', tags: ['a'], unsure: [] }) }).tags).toHaveLength(
      1,
    );
  });
});

describe('a stored model', () => {
  it('is the same once it is read again, whatever its bytes stand at in memory', () => {
    const { model } = learnTags({ texts: TEXTS });
    const shifted = new Uint8Array(model.length + 1);
    shifted.set(model, 1);
    const read = decodeModel(Buffer.from(shifted.buffer, 1, model.length));
    expect(read).toEqual(decodeModel(model));
    expect(encodeModel(read)).toEqual(model);
  });
});

describe('the decision about a session', () => {
  const tag = (tag_key: string, threshold: number | null, suggest_threshold: number | null) => ({
    ...{ tag_key, threshold, suggest_threshold, examples: 10, precision: null, coverage: null },
    state: 'applied' as const,
  });
  const tags = [tag('a', 0.5, 0.2), tag('b', null, 0.2), tag('c', null, null), tag('d', 0.5, null), tag('e', null, 0)];

  it.each([
    ['applies from the threshold on', [0.5, 0, 9, 0.4, -1], 'abcde', ['a'], []],
    ['suggests below it, the surest first', [0.3, 0.4, 9, 0, -1], 'abcde', [], ['b', 'a']],
    ['leaves out what is not allowed', [9, 9, 9, 9, 9], 'ce', [], ['e']],
    ['says nothing of tags without a score', [], 'abcde', [], []],
  ])('%s', (_, scores, allowed, applied, suggested) => {
    const decision = decideTags(tags, scores, new Set(allowed));
    expect(decision.applied).toEqual(applied);
    expect(decision.suggested.map(({ tag_key }) => tag_key)).toEqual(suggested);
  });

  it('suggests at most three tags', () => {
    const many = ['v', 'w', 'x', 'y', 'z'].map((key) => tag(key, null, 0));
    expect(decideTags(many, [1, 2, 3, 4, 5], new Set('vwxyz')).suggested.map(({ tag_key }) => tag_key)).toEqual([
      'z',
      'y',
      'x',
    ]);
  });
});
