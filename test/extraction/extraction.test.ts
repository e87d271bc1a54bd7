import type { ExtractedPage } from '../../src/extraction/contract.ts';
import { directivesOf } from '../../src/extraction/robots-directives.rules.ts';
import { createExtractor, type Extractor } from '../../src/extraction/service.ts';
import { pageTextOf } from './page-text.ts';
import { pdfOf } from './pdfs.ts';

const URL = 'https://docs.example/guide/page.html?x=1';

let extractor: Extractor;
beforeAll(() => {
  extractor = createExtractor();
});
afterAll(() => extractor.close());

const extract = (
  page: string | Uint8Array,
  contentType: string | null = 'text/html',
  url = URL,
): Promise<ExtractedPage> =>
  extractor.extract({ bytes: typeof page === 'string' ? Buffer.from(page) : page, contentType, url });
const textOf = (page: string) => pageTextOf(page, URL);
const words = (count: number, word = 'word') => Array.from({ length: count }, (_, nth) => `${word}${nth}`).join(' ');

describe('the metadata of a page', () => {
  it.each([
    ['<title>Refunds | Acme</title><h1>Refunds</h1>', 'Refunds'],
    ['<title>Refunds | Acme</title><h1>Acme help</h1>', 'Refunds | Acme'],
    ['<title>A</title><meta property="og:title" content="Better">', 'Better'],
    ['<h1>Only  a\n heading</h1>', 'Only a heading'],
    ['<p>nothing', '/guide/page.html'],
    ['<title>a &amp; b &#x1F600;</title>', 'a & b 😀'],
    ['<svg><title>icon</title></svg><title>Real</title>', 'Real'],
  ])('includes its title: %s', async (html, title) => expect((await extract(html)).title).toBe(title));

  it('includes a title of limited length', async () => {
    const { title } = await extract(`<title>${'😀'.repeat(5_000)}</title>`);
    expect([title.length <= 500, title.isWellFormed(), title.endsWith('…')]).toEqual([true, true, true]);
  });

  it.each([
    ['<html lang="de-AT">', 'de'],
    ['<html lang="EN_us">', 'en'],
    ['<html lang="deu">', 'de'],
    ['<html lang="nb">', 'no'],
    ['<html xml:lang="fr">', 'fr'],
    ['<meta property="og:locale" content="pt_BR">', 'pt'],
    ['<html lang="">', null],
    ['<html lang="not a language">', null],
    ['<p>', null],
  ])('includes its language: %s', async (html, language) => expect((await extract(html)).language).toBe(language));

  it.each([
    ['<meta name="robots" content="noindex">', true, false],
    ['<meta name="ROBOTS" content="NOFOLLOW, noarchive">', false, true],
    ['<meta name="googlebot" content="none">', true, true],
    ['<meta name="SwitchboardBot" content="noindex">', true, false],
    ['<meta name="robots" content="index,follow"><meta name="googlebot" content="noindex">', true, false],
    ['<meta name="bingbot" content="noindex">', false, false],
    ['<meta name="description" content="noindex">', false, false],
  ])('includes its robots directives: %s', async (html, isNoindex, isNofollow) =>
    expect(await extract(html)).toMatchObject({ isNoindex, isNofollow }),
  );

  it.each([
    ['<link rel="canonical" href="/a#b">', 'https://docs.example/a#b'],
    ['<link rel="stylesheet canonical" href="https://other.example/">', 'https://other.example/'],
    ['<base href="https://cdn.example/x/"><link rel=canonical href=y>', 'https://cdn.example/x/y'],
    ['<link rel="canonical" href="javascript:alert(1)">', null],
    ['<link rel="canonical" href="http://[">', null],
    ['<link rel="canonical">', null],
  ])('includes its canonical address: %s', async (html, canonical) =>
    expect((await extract(html)).canonical).toBe(canonical),
  );

  it.each([
    ['<meta http-equiv="refresh" content="0; url=/next">', 'https://docs.example/next'],
    ['<meta http-equiv="Refresh" content="5;URL=\'next\'">', 'https://docs.example/guide/next'],
    ['<meta http-equiv="refresh" content="30">', null],
    ['<meta http-equiv="refresh" content="10; url=/next">', 'https://docs.example/next'],
    ['<meta http-equiv="refresh" content="11; url=/next">', null],
    ['<meta http-equiv="refresh" content="0;url=data:text/html,x">', null],
  ])('includes its automatic redirect: %s', async (html, refresh) =>
    expect((await extract(html)).refresh).toBe(refresh),
  );

  it('includes its links: absolute, http(s) only, each once, without fragments, from anywhere in the page', async () => {
    const { links } =
      await extract(`<base href="../other/"><nav><a href="a#x">1</a></nav><a href="a">2</a><A HREF=" /b?c=1&amp;d=2 ">3</A>
      <map><area href="//host.example/p"></map><a href="mailto:a@b.c">4</a><a href="javascript:void 0">5</a><a href="#top">6</a>
      <a href="http://[bad">7</a><a>8</a><a href="ftp://x.example/">9</a><template><a href="no">10</a></template>`);
    expect(links).toEqual([
      'https://docs.example/other/a',
      'https://docs.example/b?c=1&d=2',
      'https://docs.example/other/',
      'https://host.example/p',
    ]);
  });

  it.each([
    [`<div id="root"></div><script>${'x();'.repeat(50)}</script>`, true],
    [
      '<div id="__next"><div></div></div><noscript>Please turn JavaScript on, as this page needs it to be of any use to you.</noscript>',
      true,
    ],
    [`<p>Loading</p><script>${'x();'.repeat(500)}</script>`, true],
    [`<div id="root"><p>${words(100)}</p></div><script>${'x();'.repeat(500)}</script>`, false],
    ['<p>A short page.</p>', false],
  ])('states whether scripts build the page (%#)', async (html, looksScripted) =>
    expect((await extract(html)).looksScripted).toBe(looksScripted),
  );
});

describe('the main content of a page', () => {
  const around = (
    main: string,
  ) => `<body><header><a href="/">Logo</a></header><nav><ul><li><a href="/a">Menu entry</a></ul></nav>
    <div class="cookie-banner">We use cookies</div>${main}<aside>Also read</aside><footer>Imprint</footer></body>`;

  it.each([
    ['main', `<main><h1>Title</h1><p>${words(60)}</p></main>`],
    ['an article', `<article><header><h1>Title</h1></header><p>${words(60)}</p></article>`],
    ['a known class', `<div><div class="entry-content"><h1>Title</h1><p>${words(60)}</p></div><div>Other</div></div>`],
    ['nothing but the rest', `<div><h1>Title</h1><p>${words(60)}</p></div>`],
  ])('is recognized by %s', async (_, html) => {
    expect(textOf(around(html))).toBe(`Title\n${words(60)}`);
  });

  it('excludes menus, buttons and forms inside it', async () => {
    const text =
      textOf(`<main><p>${words(80)}</p><div class="share-buttons">Share this</div><div role="navigation">Next</div>
      <ul class="breadcrumbs"><li>Home</ul><div class="post-sidebar">Popular</div><form><label>Mail</label><input></form><button>Copy</button></main>`);
    expect(text).toBe(words(80));
  });

  it('includes the largest part of the page, whatever its class names', async () => {
    expect(textOf(`<body><div class="sidebar modal"><p>${words(80)}</p></div></body>`)).toBe(words(80));
    expect(textOf(`<body><p>Hi</p><div hidden><p>${words(80)}</p></div></body>`)).toContain('word79');
  });

  it('includes the collapsed answers of FAQs', async () => {
    const text = textOf(`<main><h1>FAQ</h1><p>${words(50)}</p>
      <h3><button aria-expanded="false">Where is my parcel?</button></h3><div hidden>With the courier.</div>
      <button aria-controls="p2">Can I get my money back?</button><div id="p2" style="display:none" aria-hidden="true">Within 30 days.</div>
      <details><summary>How long does it take?</summary><p>Two days.</p></details></main>`);
    for (const said of [
      'Where is my parcel?',
      'With the courier.',
      'Can I get my money back?',
      'Within 30 days.',
      'How long does it take?',
      'Two days.',
    ])
      expect(text).toContain(said);
  });

  it('includes the posts of a discussion, but not the comments below an article', async () => {
    const html = `<main><article><h1>Question</h1><p>${words(60)}</p></article><div class="comments"><div class="comment">First answer</div>
      <div class="comment">Second answer</div></div></main>`;
    expect(pageTextOf(html, 'https://forum.example/t/question/1')).toContain('First answer\nSecond answer');
    expect(textOf(html)).not.toContain('answer');
  });

  it('includes the noscript part only if there is nothing else', async () => {
    expect(textOf(`<body><noscript><p>${words(80)}</p></noscript><div id="app"></div></body>`)).toBe(words(80));
    expect(textOf(`<body><p>${words(80)}</p><noscript>Turn it on</noscript></body>`)).toBe(words(80));
  });

  it('is the full page if nothing else is left', async () => {
    expect(textOf('<body><nav><a href="/a">Only a menu</a></nav></body>')).toBe('Only a menu');
    expect(textOf('<body><nav>Menu</nav><main></main><footer>End</footer></body>')).toContain('Menu');
    expect(textOf('')).toBe('');
  });
});

describe('robots directives', () => {
  it.each([
    ['noindex', true, false],
    ['NoIndex, nofollow', true, true],
    ['noindex nofollow', true, true],
    ['none', true, true],
    ['max-image-preview:none', false, false],
    ['max-image-preview: none, max-snippet: -1, nofollow', false, true],
    ['unavailable_after: 25 Jun 2030 15:00:00 PST, noindex', true, false],
    ['max-image-preview:large noindex', true, false],
    ['index, follow', false, false],
    ['', false, false],
  ])('in "%s" are recognized', (list, isNoindex, isNofollow) => {
    expect(directivesOf(list)).toEqual({ isNoindex, isNofollow });
  });
});

describe('the encoding of a page', () => {
  const page = (label: string) => `<meta charset="${label}">`;
  const of = (encoding: 'latin1' | 'utf16le' | 'utf8', text: string) => Buffer.from(text, encoding);

  it.each([
    ['its byte order mark before all else', of('utf8', `\ufeff${page('latin1')}é`), 'text/html; charset=latin1', 'é'],
    ['UTF-16 by its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), of('utf16le', '<p>é日')]), 'text/html', 'é日'],
    ['its header before its meta element', of('latin1', `${page('utf-8')}é`), 'text/html; charset="ISO-8859-1"', 'é'],
    ['its meta element', of('latin1', `${page('windows-1251')}\xef\xf0\xe8`), 'text/html', 'при'],
    [
      'its old meta element',
      of('latin1', '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">\xd0\xd2\xc9'),
      'text/html',
      'при',
    ],
    ['what is no name of one passed over', of('utf8', `${page('klingon')}é`), 'text/html; charset=nonsense', 'é'],
    ['UTF-8 where it is valid', of('utf8', '<p>é日😀'), 'text/html', 'é日😀'],
    ['windows-1252 by default', of('latin1', '<p>caf\xe9 \x93quoted\x94'), null, 'café “quoted”'],
    [
      'Cyrillic by its letters',
      of('latin1', '<p>\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0 \xf1\xe5\xe3\xee\xe4\xed\xff'),
      'text/html',
      'Привет, как дела сегодня',
    ],
    [
      'Shift_JIS by its letters',
      Buffer.from([
        0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x82, 0xcc, 0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x82, 0xc5, 0x82, 0xb7,
      ]),
      'text/html',
      '日本語のテストです',
    ],
    ['Korean by its letters', Buffer.from('bec8b3e7c7cfbcbcbfe4', 'hex'), 'text/html', '안녕하세요'],
  ])('is determined: %s', async (_, bytes, contentType, text) => {
    expect((await extract(bytes, contentType)).markdown).toBe(text);
  });
});

describe('the extractor', () => {
  it('reads plain text unchanged', async () => {
    expect(await extract('First line\r\nsecond *line*\n', 'text/plain')).toMatchObject({
      title: 'First line',
      markdown: 'First line\nsecond *line*',
      links: [],
    });
    expect((await extract('# Head\n\ntext', 'text/markdown; charset=utf-8')).title).toBe('Head');
  });

  it('recognizes PDFs by their type or their first bytes', async () => {
    const pdf = pdfOf({
      title: 'The manual',
      pages: ['Press the red button.\nThen wait for a mo-\nment.', 'Page two.'],
    });
    for (const type of ['application/pdf', 'application/octet-stream', null, 'text/html']) {
      expect(await extract(pdf, type)).toMatchObject({
        title: 'The manual',
        markdown: 'Press the red button.\nThen wait for a moment.\n\nPage two.',
      });
    }
    expect((await extract(pdfOf({ title: '', pages: ['No title here'] }), 'application/pdf')).title).toBe(
      'No title here',
    );
  });

  it('shortens the title of a PDF without splitting a character', async () => {
    const title = `\\376\\377${'\\000a'.repeat(499)}\\330\\075\\336\\000`; // UTF-16, as PDFs encode characters beyond ASCII
    const page = await extract(pdfOf({ title, pages: ['Some text'] }), 'application/pdf');
    expect([page.title.length, page.title.isWellFormed(), page.title.slice(0, 499)]).toEqual([
      500,
      true,
      'a'.repeat(499),
    ]);
  });

  it('recognizes HTML without a type by its first characters', async () => {
    expect((await extract(' <!DOCTYPE html><p>x</p>', null)).markdown).toBe('x');
    expect((await extract('just text', null)).markdown).toBe('just text');
  });

  it.each([
    ['application/json', '{}'],
    ['image/png', '\x89PNG'],
    ['application/zip', 'PK'],
    [null, 'a\0b'],
  ])('refuses the type %s', async (type, body) => {
    await expect(extract(body, type)).rejects.toMatchObject({ name: 'ExtractionError', code: 'unsupported_type' });
  });
});
