import { probesOf } from '../../../src/ai/calibration/probes.rules.ts';

const PASSAGE =
  'We are a small shop. A parcel that was sent back to our store in the old town is refunded within five working days. Write to us.';

describe('the probes of a passage', () => {
  it('are parts of its middle sentence, with as many words as questions have, each passage beginning with another', () => {
    const probes = probesOf(PASSAGE, 0);
    expect(probes.map(({ text }) => text.split(' ').length)).toEqual([6, 8, 10, 12, 16]);
    expect(probesOf(PASSAGE, 6).map(({ text }) => text.split(' ').length)).toEqual([8, 10, 12, 16, 6]);
    for (const { text, sentence } of probes) {
      expect(sentence).toMatch(/^A parcel.*days\.$/);
      expect(sentence).toContain(text);
    }
  });

  it('are fewer where the sentence is shorter, of another one where it is too short, and none where nothing is said', () => {
    const sentence = 'Gift cards are valid for three years.';
    const expected = [{ text: 'Gift cards are valid for three', sentence }];
    expect(probesOf(sentence, 3)).toEqual(expected);
    expect(probesOf(`${sentence} Not for cash.`, 0)).toEqual(expected);
    expect(probesOf('Yes. No. Maybe.', 0)).toEqual([]);
    expect(probesOf('', 0)).toEqual([]);
  });

  it('know the words of languages that set no spaces between them', () => {
    const sentence = '返品された商品は五営業日以内にご利用のカードへ返金されます。';
    const text = probesOf(sentence, 0)[0]?.text ?? '';
    expect(sentence).toContain(text);
    expect(text.length).toBeGreaterThan(5);
    expect(text.length).toBeLessThan(sentence.length - 5);
  });
});
