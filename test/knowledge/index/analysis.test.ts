import fc from 'fast-check';
import { analyse, analyseMarkdown } from '../../../src/knowledge/index/analysis.rules.ts';
import { type CorpusStatistics, rarityOf, scoreOf } from '../../../src/knowledge/search/bm25.rules.ts';
import { bestQuote } from '../../../src/knowledge/search/citations.rules.ts';
import { queryWordsOf, termsOf, unknownWords, type WordForm } from '../../../src/knowledge/search/query.rules.ts';

describe('the analysis of text', () => {
  it.each<[string, string, string[]]>([
    ['Refunds take 5 days', 'Refunds take 5 days', []],
    ['返金', ' ', ['返金', '返', '金']],
    [
      '返金はいつですか',
      ' ',
      ['返金', '金は', 'つで', 'です', '返', '金'].filter((gram) => gram !== 'つで' && gram !== 'です'),
    ],
    ['ください', ' ', []],
    ['カード', ' ', ['カー', 'ード']],
    ['ｶｰﾄﾞ', ' ', ['カー', 'ード']],
    ['退款 policy 政策', '  policy  '.slice(1), ['退款', '退', '款', '政策', '政', '策']],
    ['환불', ' ', ['환불']],
    ['คืนเงิน', ' ', ['คื', 'ืน', 'นเ', 'เง', 'งิ', 'ิน']],
    ['金', ' ', ['金']],
    ['ﬁne\u200b print\u00ad', 'fine print', []],
  ])('the analysis of %j gives the words %j and the grams %j', (text, words, grams) => {
    const analysed = analyse(text);
    expect(analysed.words.replace(/\s+/g, ' ')).toBe(words.replace(/\s+/g, ' '));
    expect(analysed.grams.toSorted()).toEqual(grams.toSorted());
  });

  it('leaves out the addresses of links and tags', () => {
    const markdown =
      'See [our page](https://example.com/refund "Title") ![a cat](cat.png) <b class="x">now</b><!-- hidden -->';
    expect(analyseMarkdown(markdown).words.replace(/\s+/g, ' ').trim()).toBe('See [our page] ![a cat] now');
    expect(analyseMarkdown('2 < 3 and 4 > 3').words).toBe('2 < 3 and 4 > 3');
  });

  it('loses no words of scripts with spaces', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-zäöüßéа-яα-ω0-9]{1,12}$/)), (words) => {
        expect(analyse(words.join(' '))).toEqual({ words: words.join(' ').normalize('NFKC'), grams: [] });
      }),
    );
  });
});

describe('the words of a query', () => {
  const forms = (...all: [string, ...(string | null)[]][]): WordForm[] =>
    all.flatMap(([word, ...stems], position) => [
      { position, language: null, lexeme: word },
      ...stems.flatMap((lexeme, nth) => (lexeme === null ? [] : [{ position, language: `${nth}`, lexeme }])),
    ]);

  it('include their stems in every language', () => {
    expect(queryWordsOf(forms(['houses', 'hous', 'houses']), ['0', '1'], false)).toEqual([
      { word: 'houses', lexemes: ['hous', 'houses'] },
    ]);
    expect(queryWordsOf(forms(['refunds', 'refund']), ['0'], true)).toEqual([
      { word: 'refunds', lexemes: ['refund', 'refunds'] },
    ]);
  });

  it('leave out stop words of any language, unless there are no other words', () => {
    const the = ['the', null] as [string, null];
    expect(queryWordsOf(forms(the, ['cat', 'cat']), ['0'], true)).toEqual([{ word: 'cat', lexemes: ['cat'] }]);
    expect(queryWordsOf(forms(the, ['who', null]), ['0'], false)).toEqual([
      { word: 'the', lexemes: ['the'] },
      { word: 'who', lexemes: ['who'] },
    ]);
  });

  it('are listed once each, even if repeated', () => {
    expect(queryWordsOf(forms(['cat', 'cat'], ['cat', 'cat']), ['0'], false)).toHaveLength(1);
  });

  it('are unknown if no chunk contains any of their forms', () => {
    const words = [
      { word: 'houses', lexemes: ['hous', 'houses'] },
      { word: 'refnud', lexemes: ['refnud'] },
    ];
    expect(unknownWords(words, new Map([['houses', 1]]))).toEqual([words[1]]);
  });
});

describe('the terms of a search', () => {
  it('are the existing lexemes, the rarest first, and similarly spelled ones with less weight', () => {
    const counts = new Map([
      ['common', 9],
      ['rare', 1],
      ['refund', 2],
    ]);
    const similar = [
      { word: 'refnud', lexeme: 'refund', similarity: 0.5 },
      { word: 'rares', lexeme: 'rare', similarity: 0.5 },
    ];
    expect(termsOf(['common', 'rare', 'refnud'], similar, counts)).toEqual([
      { lexeme: 'rare', weight: 1, chunks: 1 },
      { lexeme: 'refund', weight: 0.4, chunks: 2 },
      { lexeme: 'common', weight: 1, chunks: 9 },
    ]);
  });

  it.each([
    [13, 11_000, 13],
    [14, 11_000, 12],
    [5, 40_000, 5],
  ])(
    'the terms of %i words in %i chunks each are %i: above 150,000 postings only the twelve rarest',
    (count, chunks, kept) => {
      const counts = new Map(Array.from({ length: count }, (_, nth) => [`word${nth}`, chunks + nth]));
      const terms = termsOf([...counts.keys()], [], counts);
      expect(terms.map(({ lexeme }) => lexeme)).toEqual([...counts.keys()].slice(0, kept));
    },
  );
});

describe('BM25', () => {
  const corpus: CorpusStatistics = { chunks: 1_000, averageLength: 100 };
  const part = fc.record({ frequency: fc.integer({ min: 1, max: 50 }), length: fc.integer({ min: 50, max: 500 }) });

  it('equals its formula', () => {
    expect(rarityOf(10, corpus)).toBeCloseTo(Math.log(1 + 990.5 / 10.5), 12);
    expect(scoreOf({ frequency: 2, length: 100 }, 3, corpus)).toBeCloseTo((3 * 2 * 2.2) / (2 + 1.2), 12);
  });

  it('rises with frequency and rarity, falls with length, and is never negative', () => {
    fc.assert(
      fc.property(part, fc.integer({ min: 1, max: 999 }), (posting, chunks) => {
        const more = { ...posting, frequency: posting.frequency + 1 };
        const longer = { ...posting, length: posting.length + 1 };
        expect(rarityOf(chunks, corpus)).toBeGreaterThan(rarityOf(chunks + 1, corpus));
        expect(rarityOf(1_000, corpus)).toBeGreaterThan(0);
        expect(scoreOf(more, 1, corpus)).toBeGreaterThan(scoreOf(posting, 1, corpus));
        expect(scoreOf(longer, 1, corpus)).toBeLessThan(scoreOf(posting, 1, corpus));
      }),
    );
  });
});

describe('the quote of a passage', () => {
  it.each([
    ['How long does a refund take?', 'Refunds take five days.'],
    ['shipping', 'Shipping is free!'],
    ['nothing of that', 'Welcome.'],
  ])('for the query %j is %j', (query, quote) => {
    const text = '\nWelcome. Shipping is free! Refunds take five days.\n';
    const { text: found, start, end } = bestQuote(text, query);
    expect([found, text.slice(start, end)]).toEqual([quote, quote]);
  });

  it('is a sentence in texts without spaces too', () => {
    expect(bestQuote('送料は無料です。返金は五日かかります。', '返金').text).toBe('返金は五日かかります。');
  });

  it('is always a literal part of the passage', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, query) => {
        const { text: quote, start, end } = bestQuote(text, query);
        expect(text.slice(start, end)).toBe(quote);
      }),
    );
  });
});
