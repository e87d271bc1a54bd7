import { findPhrases, lowered, risen } from '../../scripts/check/phrases/count.ts';

/** The places of each pattern that occurs. */
const placesIn = (path: string, text: string) =>
  Object.fromEntries(
    findPhrases([{ path, text }])
      .filter(({ places }) => places.length > 0)
      .map(({ name, places }) => [name, places.map((place) => place.slice(path.length + 1))]),
  );

it.each([
  ['a comment', '// It is read anew.', { anew: ['1'] }],
  [
    'a comment over two lines',
    '/**\n * Locks the row, so\n * that nobody waits.\n */\nconst a = 1;',
    { 'so that': ['2'] },
  ],
  ['two lines of a comment', 'f(); // Locks, so\n// that nobody waits.', { 'so that': ['1'] }],
  ['the last comment of a file', 'f();\n// What became of it.', { 'what became of': ['2'] }],
  ['a sentence in a string', "throw invalid('Each id may stand once');", { stands: ['1'] }],
  [
    'a sentence in a template',
    ['`The run $', '{id} is told and goes on`;'].join(''),
    { 'is told': ['1'], 'goes on': ['1'] },
  ],
  ['a comment inside of a call', 'f(\n  a, // of its own\n);', { 'of its own': ['2'] }],
])('phrases are found in %s', (_, text, places) => {
  expect(placesIn('src/x.ts', text)).toEqual(places);
});

it.each([
  ['names in the code', 'const nor = anew.told;'],
  ['words of a list', "const words = ['nor', 'anew'];"],
  ['an allowed sense', '// A mask stands for a secret. The two are told apart.'],
])('no phrase is found in %s', (_, text) => {
  expect(placesIn('src/x.ts', text)).toEqual({});
});

it('only the names of tests count in a test', () => {
  const text =
    "// Read anew.\nit('is read anew', () => {});\nit.each([['so that']])('%s goes on', () => f('is told'));";
  expect(placesIn('test/x.test.ts', text)).toEqual({ anew: ['2'], 'goes on': ['3'] });
});

it('code and examples to avoid do not count in a document', () => {
  const text = 'Read anew.\n\n```ts\n// anew\n```\n`anew` is a word.\n- ❌ It is read anew.\n- ✅ It goes on.\n';
  expect(placesIn('docs/x.md', text)).toEqual({ anew: ['1'], 'goes on': ['8'] });
});

it('a count that rises is refused, and one that falls is stored', () => {
  const findings = ['a', 'b', 'c'].map((name) => ({ name, advice: '', places: ['x:1', 'x:2'] }));
  expect(risen(findings, { a: 2, b: 1 }).map(({ name }) => name)).toEqual(['b', 'c']);
  expect(lowered(findings, { a: 5, b: 1, gone: 3 })).toEqual({ a: 2, b: 1, c: 0 });
});
