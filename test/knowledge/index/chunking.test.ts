import fc from 'fast-check';
import { analyseMarkdown } from '../../../src/knowledge/index/analysis.rules.ts';
import { chunksOf } from '../../../src/knowledge/index/chunking.rules.ts';
import { blocksOf } from '../../../src/knowledge/index/markdown-blocks.rules.ts';

const MAX = 900;
const MIN = 600;

const words = (count: number, word = 'word') => `${Array.from({ length: count }, () => word).join(' ')}.`;
const contents = (markdown: string) => chunksOf(markdown).map(({ start, end }) => markdown.slice(start, end));
const kinds = (markdown: string) =>
  blocksOf(markdown).map(({ start, end, kind }) => [kind, markdown.slice(start, end).trimEnd()]);

describe('blocks of Markdown', () => {
  it.each<[string, [string, string][]]>([
    ['', []],
    ['\n\n', [['prose', '']]],
    [
      'one\ntwo\n\nthree',
      [
        ['prose', 'one\ntwo'],
        ['prose', 'three'],
      ],
    ],
    [
      '# One\ntext',
      [
        ['heading', '# One'],
        ['prose', 'text'],
      ],
    ],
    [
      'One\n===\ntext',
      [
        ['heading', 'One\n==='],
        ['prose', 'text'],
      ],
    ],
    ['#hashtag', [['prose', '#hashtag']]],
    [
      '```\n# no heading\n\n| a |\n```\nafter',
      [
        ['whole', '```\n# no heading\n\n| a |\n```'],
        ['prose', 'after'],
      ],
    ],
    [
      '~~~~\n~~~\n~~~~\nafter',
      [
        ['whole', '~~~~\n~~~\n~~~~'],
        ['prose', 'after'],
      ],
    ],
    ['```\nnever ends\n\n# no heading', [['whole', '```\nnever ends\n\n# no heading']]],
    [
      'text\n\n    code\n\n    more\n\nafter',
      [
        ['prose', 'text'],
        ['whole', '    code\n\n    more'],
        ['prose', 'after'],
      ],
    ],
    [
      '| a | b |\n|---|---|\n| 1 | 2 |\n\nafter',
      [
        ['whole', '| a | b |\n|---|---|\n| 1 | 2 |'],
        ['prose', 'after'],
      ],
    ],
    [
      'text\na | b\n--- | ---\n1 | 2',
      [
        ['prose', 'text'],
        ['whole', 'a | b\n--- | ---\n1 | 2'],
      ],
    ],
    [
      '- one\n- two\n  - nested\n\n  still two\n- three',
      [
        ['whole', '- one'],
        ['whole', '- two\n  - nested\n\n  still two'],
        ['whole', '- three'],
      ],
    ],
    [
      '1. one\n   ```\n- code\n   ```\n2. two',
      [
        ['whole', '1. one\n   ```\n- code\n   ```'],
        ['whole', '2. two'],
      ],
    ],
    [
      '- one\nlazy\n\nafter',
      [
        ['whole', '- one\nlazy'],
        ['prose', 'after'],
      ],
    ],
    [
      '> one\n> - two\n\nafter',
      [
        ['whole', '> one\n> - two'],
        ['prose', 'after'],
      ],
    ],
    [
      '<pre>\n\n# no heading\n</pre>\nafter',
      [
        ['whole', '<pre>\n\n# no heading\n</pre>'],
        ['prose', 'after'],
      ],
    ],
    [
      'a\r\n\r\n# B\r\n',
      [
        ['prose', 'a'],
        ['heading', '# B'],
      ],
    ],
  ])('the blocks of %j have the expected kinds and bounds', (markdown, blocks) => {
    expect(kinds(markdown)).toEqual(blocks);
  });

  it.each([
    ['## Two ##', 'Two'],
    ['## C#', 'C#'],
    ['# A *bold* `max_size` [link](https://example.com/a_b)', 'A bold max_size link'],
    ['A\nB\n---', 'A B'],
    ['#', ''],
  ])('the blocks of %j include the title %j', (markdown, title) => {
    expect(blocksOf(markdown)).toMatchObject([{ kind: 'heading', title }]);
  });
});

describe('chunks of Markdown', () => {
  it('keep a short text in one piece', () => {
    expect(contents('# Title\n\nText.\n\n## More\n\nText.')).toHaveLength(1);
    expect(chunksOf('')).toEqual([]);
  });

  it('begin with a nearby heading, include a short rest, and list the headings above them', () => {
    const markdown = [
      '# Guide',
      words(80),
      '## Setup',
      words(100),
      words(90),
      '### Linux',
      words(130),
      '## Use',
      words(130),
    ].join('\n\n');
    expect(chunksOf(markdown).map(({ path, headings }) => [path, headings])).toEqual([
      [['Guide'], []],
      [['Guide', 'Setup'], []],
      [['Guide', 'Setup'], ['Linux']],
      [['Guide', 'Use'], []],
    ]);
  });

  it('combine short sections and list their headings', () => {
    const markdown = Array.from({ length: 6 }, (_, nth) => `## Question ${nth}\n\n${words(40)}\n`).join('\n');
    expect(chunksOf(markdown).map(({ path, headings }) => [path, headings])).toEqual([
      [['Question 0'], ['Question 1', 'Question 2']],
      [['Question 3'], ['Question 4', 'Question 5']],
    ]);
  });

  it('have 600 to 900 characters for long prose, cut after sentences', () => {
    const parts = contents(`# Long\n\n${Array.from({ length: 300 }, () => words(9)).join(' ')}`);
    for (const part of parts.slice(0, -1)) {
      expect(part.length).toBeGreaterThanOrEqual(MIN);
      expect(part.length).toBeLessThanOrEqual(MAX);
      expect(part).toMatch(/\. $/);
    }
  });

  it.each([
    ['no spaces', 'x'.repeat(5_000)],
    ['no spaces and no full stops, in Japanese', '日本語'.repeat(1_000)],
    ['Japanese sentences', 'これは文です。'.repeat(400)],
    ['letters outside of the basic plane', '😀'.repeat(2_000)],
    ['such letters at odd places', `a${'😀'.repeat(2_000)}`],
    ['such letters in code', `a\`${'😀'.repeat(2_000)}`],
  ])('are cut even in texts with %s, between characters', (_, text) => {
    const parts = contents(text);
    expect(parts.join('')).toBe(text);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(MAX);
      expect(part.isWellFormed()).toBe(true);
    }
  });

  it('are never cut inside inline code', () => {
    const text = Array.from({ length: 60 }, (_, nth) => `Call \`f(${'a. '.repeat(nth % 30)})\` then.`).join(' ');
    const parts = contents(text);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect((part.match(/`/g) ?? []).length % 2).toBe(0);
  });

  it.each([
    ['code and items', `${'a `b ``c '.repeat(60_000)}\n\n${'- x\n'.repeat(50_000)}`],
    ['brackets in a heading', `# ${'['.repeat(1_000_000)}`],
    ['links that are none in headings', `# ${'[](a'.repeat(500)}\n`.repeat(500)],
    ['headings alone', '# a\n\n'.repeat(200_000)],
    ['what is nearly a table', `a|b\n${' '.repeat(1_000_000)}-|!`],
    ['backticks', '`a'.repeat(500_000)],
    ['addresses that do not end', '](a'.repeat(300_000)],
    ['comments that do not end', '<!--'.repeat(250_000)],
  ])('take time linear in the length of the text: %s', (_, text) => {
    expect(contents(text).join('')).toBe(text);
    for (const part of contents(text)) analyseMarkdown(part);
  });

  it('treat an overlong heading as prose', () => {
    const long = `${'😀 long '.repeat(50)}end`;
    for (const markdown of [`# ${long}\n\n${words(90)}`, `${long}\n===\n\n${words(90)}`]) {
      const chunks = chunksOf(markdown);
      expect(chunks.map(({ path }) => path)).toEqual(chunks.map(() => []));
      expect(chunks.map(({ body }) => body).join('')).toBe(markdown);
    }
  });

  it('reduce links in headings to their text', () => {
    expect(chunksOf('# See [Rust](https://a.example/Rust_(language)) now').map(({ path }) => path)).toEqual([
      ['See Rust now'],
    ]);
  });

  const line = fc.stringMatching(/^[a-z .`|#*-]{1,80}$/);
  const lines = fc.array(line, { minLength: 1, maxLength: 40 }).map((all) => all.join('\n'));
  const long = fc.integer({ min: 1, max: 400 }).map((count) => words(count, 'tale'));
  const inner = fc.array(fc.stringMatching(/^[a-z]{1,60}$/), { minLength: 1, maxLength: 60 });
  const wholes = fc.oneof(
    inner.map((all) => `\`\`\`\n${all.join('\n\n')}\n\`\`\``),
    inner.map((all) => ['| a | b |', '|---|---|', ...all.map((text) => `| ${text} | x |`)].join('\n')),
    inner.map((all) => `- first\n${all.map((text) => `  ${text}`).join('\n\n')}`),
    inner.map((all) => all.map((text) => `    ${text}`).join('\n\n')),
    inner.map((all) => all.map((text) => `> ${text}`).join('\n')),
  );

  it('joined are the text, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(lines, fc.string({ unit: 'binary', maxLength: 3_000 })), (markdown) => {
        const chunks = chunksOf(markdown);
        expect(chunks.map(({ start, end }) => markdown.slice(start, end)).join('')).toBe(markdown);
        for (const { start, end } of chunks) expect(end).toBeGreaterThan(start);
      }),
    );
  });

  it('never split code, a table, a list item or a quotation', () => {
    const heading = fc.integer({ min: 1, max: 4 }).map((level) => `${'#'.repeat(level)} Heading`);
    fc.assert(
      fc.property(fc.array(fc.oneof(wholes, long, heading), { maxLength: 12 }), (blocks) => {
        const markdown = blocks.map((block) => `${block}\n\n`).join('Between.\n\n');
        const parts = contents(markdown);
        expect(parts.join('')).toBe(markdown);
        for (const block of blocks.filter((text) => !text.startsWith('tale')))
          expect(parts.some((part) => part.includes(block))).toBe(true);
      }),
    );
  });

  it('never end with a heading, except for the last one', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(long, fc.constant('## Heading')), { maxLength: 20 }), (blocks) => {
        for (const part of contents(blocks.join('\n\n')).slice(0, -1)) expect(part).not.toMatch(/## Heading\s*$/);
      }),
    );
  });
});
