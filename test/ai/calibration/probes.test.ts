import { describe, expect, it } from 'vitest';
import { probeOf } from '../../../src/ai/calibration/probes.rules.ts';

const PASSAGE =
  'We are a small shop. A parcel that was sent back to our store in the old town is refunded within five working days. Write to us.';

describe('a probe of a passage', () => {
  it('is a part of its middle sentence, with as many words as a question has', () => {
    const probes = Array.from({ length: 5 }, (_, nth) => probeOf(PASSAGE, nth));
    expect(probes.map((probe) => probe?.text.split(' ').length)).toEqual([6, 8, 10, 12, 16]);
    for (const probe of probes) {
      expect(probe?.sentence).toMatch(/^A parcel.*days\.$/);
      expect(probe?.sentence).toContain(probe?.text);
    }
  });

  it('has fewer words where the sentence is shorter, and is left out where it says nothing', () => {
    const sentence = 'Gift cards are valid for three years.';
    expect([0, 1, 2].map((nth) => probeOf(sentence, nth)?.text)).toEqual(
      Array.from({ length: 3 }, () => 'Gift cards are valid for three'),
    );
    expect(probeOf('Yes. No. Maybe.', 0)).toBeUndefined();
    expect(probeOf('', 0)).toBeUndefined();
  });

  it('knows the words of languages that set no spaces between them', () => {
    const sentence = '返品された商品は五営業日以内にご利用のカードへ返金されます。';
    const text = probeOf(sentence, 0)?.text ?? '';
    expect(sentence).toContain(text);
    expect(text.length).toBeLessThan(sentence.length - 5);
  });
});
