import { createExtractor } from '../../../src/extraction/service.ts';
import { prepareItem } from '../../../src/knowledge/index/service.ts';
import type { SplitPart, Splitter } from '../../../src/knowledge/index/splitting.service.ts';
import { newItem } from './items.ts';

const extractor = createExtractor();
afterAll(() => extractor.close());

/** Returns the words of a part with their frequencies. */
function wordsOf({ countWords }: Pick<SplitPart, 'countWords'>): Record<string, number> {
  const { counts, list } = countWords();
  const words = list.wordsIn('en');
  return Object.fromEntries(
    Array.from(counts.numbers, (number, nth) => [words.at(number).text, counts.frequencies[nth] ?? 0]),
  );
}

const prepare = async (markdown: string, split?: Splitter) =>
  (await prepareItem(newItem({ title: 'Tea', markdown, language: 'en' }), split)).chunks;

const SPLITTERS: [string, Splitter | undefined][] = [
  ['this thread', undefined],
  ['an extractor', extractor.split],
];

it.each(SPLITTERS)('the words of a text are counted once in %s, before it is written', async (_name, split) => {
  const chunks = await prepare('Boil the water.\n\n'.repeat(100), split);
  expect(chunks.length).toBeGreaterThan(1);
  for (const { countWords } of chunks) expect(countWords().counts).toBe(countWords().counts);
});

it.each(SPLITTERS)('%s counts words by their weights, and letters without spaces as pairs', async (_name, split) => {
  const [chunk] = await prepare('## Boil water\n\nBoil it twice, twice: 水を沸かす\n\n### Twice', split);
  expect(chunk && wordsOf(chunk)).toEqual({
    Tea: 1,
    Boil: 4,
    water: 3,
    it: 1,
    twice: 2,
    Twice: 3,
    水: 1,
    水を: 1,
    沸: 1,
    を沸: 1,
    沸か: 1,
  });
});

it.each(SPLITTERS)('a letter that is cut in half spoils no other word in %s', async (_name, split) => {
  const start = '```\n';
  const cut = `${start}a${'a '.repeat((49_998 - start.length) / 2)}😀 b\n\`\`\``;
  const chunks = [
    ...(await prepare('\ufffd', split)),
    ...(await prepare(cut, split)),
    ...(await prepare('Kettle spout', split)),
  ];
  expect(chunks.map(wordsOf)).toEqual([
    { Tea: 3, '\ufffd': 1 },
    { Tea: 3, aa: 1, a: expect.any(Number), '\ufffd': 1 },
    { Tea: 3, Kettle: 1, spout: 1 },
  ]);
});

it('texts with many words are counted alike in both, also when their numberings start over', async () => {
  const markdownOf = (nth: number) => Array.from({ length: 12_000 }, (_, word) => `w${nth * 12_000 + word}`).join(' ');
  for (let nth = 0; nth < 6; nth++) {
    const [here, there] = [await prepare(markdownOf(nth)), await prepare(markdownOf(nth), extractor.split)];
    expect(there.map(wordsOf)).toEqual(here.map(wordsOf));
    expect(Object.keys(Object.assign({}, ...there.map(wordsOf)))).toContain(`w${nth * 12_000 + 11_999}`);
  }
});

it('the words of a long text are not kept until it is written, as they take several times its memory', async () => {
  const chunks = await prepare('Boil the water.\n\n'.repeat(7_000), extractor.split);
  for (const { countWords } of chunks) expect(countWords().counts).not.toBe(countWords().counts);
});
