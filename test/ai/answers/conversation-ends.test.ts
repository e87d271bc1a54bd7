import fc from 'fast-check';
import { endsOf } from '../../../src/ai/answers/conversation-ends.rules.ts';
import { extractionPrompt } from '../../../src/insights/extraction/prompt.rules.ts';

const saying = (...texts: string[]) => texts.map((text, nth) => ({ text, nth }));

describe('the ends of a conversation', () => {
  it.each([
    ['all that fits', saying('aa', 'bb', 'cc'), 6, ['aa', 'bb', 'cc']],
    ['the last and the first', saying('aa', 'bb', 'cc', 'dd'), 5, ['aa', 'dd']],
    ['the last one before the first', saying('aa', 'bb', 'cc'), 3, ['cc']],
    ['the beginning of a last one that is too long', saying('aa', 'abcdef'), 4, ['abcd']],
    ['nothing of nothing', [], 4, []],
  ])('are %s', (_, messages, most, texts) => {
    expect(endsOf(messages, most).map(({ text }) => text)).toEqual(texts);
  });

  it('are at most so long, in their order, and without a gap but in the middle', () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 200 }), (given, most) => {
        const chosen = endsOf(saying(...given), most);
        const places = chosen.map(({ nth }) => nth);
        expect(chosen.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(most);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(places.at(-1)).toBe(given.length - 1);
        expect(places.filter((place, nth) => nth > 0 && place !== (places[nth - 1] ?? 0) + 1).length).toBeLessThan(2);
      }),
    );
  });

  it('are what a model reads for insights, under the numbers of the whole conversation', () => {
    const long = Array.from({ length: 400 }, (_, nth) => ({ isCustomer: nth % 2 === 0, text: `${nth} `.repeat(100) }));
    const [, asked] = extractionPrompt(long);
    const { conversation } = JSON.parse(String(asked?.content).replace(/^Data:\n/, ''));
    expect(conversation[0]).toEqual({ message: 1, customer: long[0]?.text });
    expect(conversation.at(-2)).toEqual({ message: 200, customer: long[398]?.text });
    expect(conversation.at(-1)).toEqual({ company: long[399]?.text });
  });
});
