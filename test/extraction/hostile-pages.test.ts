import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { readHtml } from '../../src/extraction/page.ts';
import { createExtractor, type Extractor } from '../../src/extraction/service.ts';
import { inflatingPdf } from './pdfs.ts';

const URL = 'https://docs.example/page';
const MAX_BYTES = 5 * 1024 * 1024;
const FEW = { numRuns: process.env.TEST_TIER === 'long' ? 3_000 : 300 };

let extractor: Extractor;
beforeAll(() => {
  extractor = createExtractor();
});
afterAll(() => extractor.close());

const extract = (page: string | Uint8Array, contentType = 'text/html') =>
  extractor.extract({ bytes: typeof page === 'string' ? Buffer.from(page) : page, contentType, url: URL });
const filled = (part: string, before = '', after = '') =>
  before + part.repeat(Math.floor((MAX_BYTES - before.length - after.length) / part.length)) + after;

describe('the extractor', () => {
  it.each([
    ['nested elements', `${'<div>'.repeat(100_000)}x${'</div>'.repeat(100_000)}`],
    ['5 MB of nested elements', filled('<b>')],
    ['nested lists', filled('<ul><li>x')],
    ['nested tables', filled('<table><tr><td>')],
    ['nested quotes', filled('<blockquote>x')],
    ['stray end tags', filled('</i>', '<b>'.repeat(500_000))],
    ['entities', filled('&amp;')],
    ['ampersands', filled('&')],
    ['brackets', filled('<')],
    ['open comments', filled('<!--')],
    ['attributes', filled('b ', '<a ', '>')],
    ['one attribute', filled('&lt;', '<a title="', '">')],
    ['classes', filled('a-b ', '<div class="', '">x')],
    ['spaces in a style', filled(' ', '<div style="display', '">x')],
    ['Markdown marks', filled('*_`[](', '<p>')],
    ['backslashes', filled('\\', '<p>')],
    ['backticks in code', filled('` ', '<pre>', '</pre>')],
    ['line breaks', filled('x<br>', '<p>')],
    ['cells that span', filled('<tr><td rowspan=60000>a<td colspan=60000>b', '<table>')],
    ['definitions', filled('<dt>a<dd>b', '<dl>')],
    ['headings', filled('<h1>a')],
    ['links', filled('<a href=x>y</a>')],
    ['pictures', filled('<img alt="a*b">')],
    ['one title', filled('a', '<title>')],
    ['spaces', filled(' ', '<p>a', 'b')],
    ['NULs', filled('\0', '<p>a', 'b')],
    ['a refresh of spaces', filled(' ', '<meta http-equiv=refresh content="', '">')],
  ])('reads hostile pages, or refuses them because of their time or size: %s', async (_, html) => {
    const outcome = await extract(html).catch((error) => error.code);
    if (typeof outcome === 'string') expect(['too_slow', 'too_large']).toContain(outcome);
    else expect(outcome.markdown.length).toBeLessThanOrEqual(1_000_000);
    expect((await extract('<p>The next one</p>')).markdown).toBe('The next one');
  });

  it('refuses pages above 5 MB', async () => {
    await expect(extract('<div>'.repeat(13_000_000))).rejects.toMatchObject({ code: 'too_large' });
  });

  it('limits the size of a page with many links to a long address', () => {
    const base = `<base href="https://docs.example/${'x'.repeat(1_900)}/">`;
    const { markdown } = readHtml(`${base}<p>${'<a href=y>z</a> '.repeat(5_000)}`, URL);
    expect(markdown.length).toBeLessThanOrEqual(1_000_000);
    expect(markdown.match(/z/g)?.length).toBe(5_000);
  });

  it('refuses a PDF with more than 128 MB of decoded bytes', async () => {
    await expect(extract(inflatingPdf(100_000_000), 'application/pdf')).rejects.toMatchObject({ code: 'too_large' });
  });

  it('stops at several such PDFs at once, and reads the pages that wait behind them', async () => {
    const read = (page: string | Uint8Array, type?: string) =>
      extract(page, type).then(
        ({ markdown }) => markdown,
        ({ code }) => code,
      );
    const pages = Array.from({ length: 2 }, (_, nth) => [
      read(inflatingPdf(200_000_000), 'application/pdf'),
      read(`<p>Page ${nth}</p>`),
      read('<p>The next one</p>'),
    ]);
    const isRefused = expect.stringMatching(/^too_(slow|large)$/);
    expect(await Promise.all(pages.flat())).toEqual(
      pages.flatMap((_, nth) => [isRefused, `Page ${nth}`, 'The next one']),
    );
  });

  it.each(['%PDF-1.4 garbage', '%PDF-', '%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 1 0 R>>\ntrailer<</Root 1 0 R>>'])(
    'reports an invalid PDF as unreadable: %s',
    async (bytes) => {
      await expect(extract(bytes, 'application/pdf')).rejects.toMatchObject({ code: 'unreadable' });
    },
  );

  it('reads many concurrent pages, each with its own result', async () => {
    const pages = Array.from({ length: 50 }, (_, nth) => extract(`<p>Page ${nth}</p>`));
    const texts = (await Promise.all(pages)).map(({ markdown }) => markdown);
    expect(texts).toEqual(Array.from({ length: 50 }, (_, nth) => `Page ${nth}`));
  });

  it('reads a long page on a machine that is busy with other work', async () => {
    const others = Array.from({ length: availableParallelism() * 6 }, () => new Worker('for (;;);', { eval: true }));
    try {
      const startedAt = performance.now();
      const { markdown } = await extract(`<p>${'Once upon a time. '.repeat(200_000)}</p>`);
      expect(markdown).toMatch(/^Once upon a time\./);
      expect(performance.now() - startedAt).toBeGreaterThan(2_000); // longer than a page may take of the processor
    } finally {
      await Promise.all(others.map((other) => other.terminate()));
    }
  });

  it.each([
    ['while its thread starts', false, '<p>a page'],
    ['while a page is being read', true, filled('</i>', '<b>'.repeat(500_000))],
  ])('can be closed %s', async (_, isStarted, html) => {
    const closing = createExtractor();
    const read = (text: string) =>
      closing.extract({ bytes: Buffer.from(text), contentType: 'text/html', url: URL }).then(
        () => 'read',
        () => 'closed',
      );
    if (isStarted) expect(await read('<p>first')).toBe('read');
    const pages = [html, ...Array.from({ length: 8 }, () => '<p>waiting')].map(read);
    await closing.close();
    expect(new Set(await Promise.all(pages))).toEqual(new Set(['closed']));
  });
});

describe('the text of a page with random markup', () => {
  const tag = fc.constantFrom(
    ...'a b p div ul li table tr td pre code h1 nav main article dl dt dd br img script svg math title body html head template noscript select'.split(
      ' ',
    ),
  );
  const piece = fc.oneof(
    tag.map((name) => `<${name}>`),
    tag.map((name) => `</${name}>`),
    fc.constantFrom(
      '<a href="/x">',
      '<img alt="a|b">',
      '<td rowspan=9 colspan=9>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '&#xD800;',
      '&#0;',
      '&nbsp',
      '<',
      '"',
      '\0',
      '\ud83d',
      '<ol start=99>',
      '<base href="//[">',
      '```',
      '|',
      '# ',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );

  it('is valid for the database, and the same each time', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const html = pieces.join('');
        const page = readHtml(html, URL);
        for (const text of [page.title, page.markdown, ...page.links]) {
          expect(text.isWellFormed()).toBe(true);
          expect(text).not.toMatch(/[^\P{Cc}\t\n\r]/u);
        }
        expect(readHtml(html, URL)).toEqual(page);
      }),
      FEW,
    );
  });
});
