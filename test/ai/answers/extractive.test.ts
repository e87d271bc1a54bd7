import fc from 'fast-check';
import { type PassageForQuote, renderSources, selectQuotes } from '../../../src/ai/answers/extractive.rules.ts';
import { sentencesOf } from '../../../src/knowledge/index/prose.rules.ts';

const passage = (
  item_id: string,
  content: string,
  words: number,
  url: string | null = 'https://shop.example/a',
): PassageForQuote => ({
  item_id,
  chunk: 0,
  url,
  title: `Title ${item_id}`,
  heading: 'Heading',
  content,
  start: 100,
  hash: 'f'.repeat(64),
  words,
  sentences: sentencesOf(content),
  bestSentence: 0,
});

describe('an answer by quotes', () => {
  it('quotes at most two items, and only above the threshold', () => {
    const passages = [
      passage('a', 'One.', 10),
      passage('a', 'Two.', 9.9),
      passage('b', 'Three.', 9),
      passage('c', 'Four.', 8.9),
    ];
    expect(selectQuotes(passages, { score: 2, threshold: 1.5 })).toMatchObject({
      kind: 'answered',
      sources: [
        { item_id: 'a', quote: 'One.' },
        { item_id: 'b', quote: 'Three.' },
      ],
    });
    expect(selectQuotes(passages, { score: 1, threshold: 1.5 })).toMatchObject({
      kind: 'may_help',
      sources: [
        { item_id: 'a', quote: null },
        { item_id: 'b', quote: null },
        { item_id: 'c', quote: null },
      ],
    });
    expect(selectQuotes(passages, { score: 0.1, threshold: 1.5 })).toMatchObject({ kind: 'nothing', sources: [] });
    expect(selectQuotes([], { score: 0, threshold: 0 })).toMatchObject({ kind: 'nothing', sources: [] });
  });

  it('quotes whole sentences, unchanged, with their place in the item', () => {
    const text = fc.array(
      fc.constantFrom('It is so.', 'Why not?', 'Yes!', 'A longer sentence with several words in it.'),
      {
        minLength: 1,
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(text, fc.nat(), (sentences, nth) => {
        const content = sentences.join(' ');
        const found = sentencesOf(content);
        const bestSentence = found[nth % found.length]?.start ?? 0;
        const answer = selectQuotes([{ ...passage('a', content, 10), bestSentence }], { score: 2, threshold: 1 });
        const [source] = answer.sources;
        expect(content.slice((source?.start_offset ?? 0) - 100, (source?.end_offset ?? 0) - 100)).toBe(source?.quote);
        expect(source?.quote?.length).toBeLessThanOrEqual(600);
        expect(source?.quote).toMatch(/[.?!]$/);
      }),
    );
  });

  it('shows no image, no HTML, and no link but to the quoted page, whatever a page says', () => {
    const hostile = fc.constantFrom(
      '[[a](b)](https://evil.example)',
      'See https://evil.example/x or www.evil.example.',
      '![pixel](https://evil.example/p.png)',
      '[click](https://evil.example)',
      '<img src=x onerror=alert(1)>',
      '<a href="https://evil.example">x</a>',
      '[a](javascript:alert(1))',
      'https\\://evil.example/x',
      'https:&#47;&#47;evil.example',
      'Plain words.',
      ') ](https://evil.example',
    );
    fc.assert(
      fc.property(
        fc.array(hostile, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('Title', '<b>', '![x](y)', '](z)'),
        (parts, title) => {
          const content = parts.join(' ');
          const source = { ...passage('a', content, 1), title, quote: content, start_offset: 0, end_offset: 1 };
          const text = renderSources('Found:', [source], 'markdown');
          expect(text).not.toMatch(/!\[|<[a-z]/i);
          const links = [...text.matchAll(/(?<!\\)\]\(([^)]*)\)/g)].map(([, url]) => url);
          expect(links).toEqual(['https://shop.example/a']);
          expect(text.replace('https://shop.example/a', '').replaceAll('\\', '')).not.toMatch(/https?:|javascript:/);
          expect(renderSources('Found:', [source], 'plain').replace('https://shop.example/a', '')).not.toMatch(
            /https?:|javascript:|www\.|<[a-z]/i,
          );
        },
      ),
    );
  });

  it.each([
    ['Open **Orders**, choose it, and press *Return*.', 'Open Orders, choose it, and press Return.'],
    [
      '## Refunds\n\nTwo ways:\n\n1. Open `Orders`.\n2. Press [Return](https://shop.example/r).\n\nDone',
      'Refunds\n\nTwo ways:\n\n1. Open Orders.\n2. Press Return.\n\nDone',
    ],
    ['- one\n\n  more of it\n- two\n\nafter', '- one\nmore of it\n- two\n\nafter'],
    ['| Size | Price |\n|---|---|\n| S | 5 € |', 'Size | Price\nS | 5 €'],
    ['```\ncode\n```\n> said\n> so', 'code\n\nsaid\nso'],
    ['2 \\* 3, file_name_old', '2 * 3, file_name_old'],
  ])('quotes %j without signs of Markdown where clients show none', (quote, text) => {
    const source = { ...passage('a', quote, 1), title: 'A', quote, start_offset: 0, end_offset: 1 };
    expect(renderSources('Found:', [source], 'plain')).toBe(`Found:\n\n${text}\nA: https://shop.example/a`);
  });

  it('gives plain text where clients show no Markdown', () => {
    const source = { ...passage('a', 'Yes.', 1), title: 'Re_funds*', quote: 'Yes.', start_offset: 0, end_offset: 4 };
    expect(renderSources('Found:', [source], 'plain')).toBe('Found:\n\nYes.\nRe_funds*: https://shop.example/a');
    expect(renderSources('Found:', [source], 'markdown')).toBe(
      'Found:\n\n> Yes.\n\n[Re\\_funds\\*](https://shop.example/a)',
    );
  });
});
