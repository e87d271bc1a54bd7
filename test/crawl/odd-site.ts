import { type FakeSite, pageOf, sitemapOf } from '../support/fakes/site.ts';

/** Two pages naming each other as canonical. One of them is stored. */
export const EACH_OTHER = ['/each-other/1', '/each-other/2'];

/** The expected results of the odd site's other URLs. */
export const ODD_OUTCOMES: Record<string, string> = {
  '/': 'synced',
  '/loop/a': 'synced',
  '/loop/b': 'synced',
  '/same?a=1&b=2': 'synced',
  '/moved': 'redirect',
  '/moved-again': 'redirect',
  '/target': 'synced',
  '/circle/1': 'redirect_loop',
  '/circle/2': 'redirect_loop',
  '/away': 'redirect_other_site',
  '/refreshed': 'redirect',
  '/double': 'canonical',
  '/original': 'synced',
  '/orphan': 'synced',
  '/lost-original': 'not_found',
  '/noindex': 'noindex',
  '/behind-noindex': 'synced',
  '/noindex-header': 'noindex',
  '/nofollow': 'synced',
  '/gone': 'not_found',
  '/missing': 'not_found',
  '/secret': 'forbidden',
  '/teapot': 'http_error',
  '/broken': 'server_error',
  '/busy': 'synced',
  '/latin': 'synced',
  '/paper.pdf': 'synced',
  '/huge': 'too_large',
  '/slow': 'timeout',
  '/app': 'script_only',
  '/empty': 'empty',
  '/image.png': 'unsupported_type',
  '/private/page': 'robots',
  '/private/open': 'synced',
  '/~user/page': 'robots',
  '/calendar/a/b/a/b/a/b': 'repeated_path',
  '/elsewhere': 'other_site',
};

/** Fills a site with problems for crawlers: loops, traps, duplicates, refusals and invalid pages. */
export function fillOddSite(site: FakeSite): void {
  const { pages, url } = site;
  const links = Object.keys(ODD_OUTCOMES).filter(
    (path) =>
      ![
        '/',
        '/behind-noindex',
        '/target',
        '/original',
        '/elsewhere',
        '/calendar/a/b/a/b/a/b',
        '/lost-original',
      ].includes(path),
  );
  pages.set(
    '/',
    pageOf('Home', {
      links: [
        ...links,
        ...EACH_OTHER,
        '/same?b=2&a=1#part',
        '/same?a=1&b=2&utm_source=mail',
        `${url}/calendar/a/b/a/b/a/b`,
        'http://other.example/elsewhere',
        'mailto:ann@example.com',
        'javascript:alert(1)',
        'ftp://other.example/',
        '/%7Euser/page',
      ],
    }),
  );
  pages.set('/robots.txt', {
    body: 'User-agent: *\nDisallow: /nowhere\n\nUser-agent: switchboardbot\nDisallow: /private/\nAllow: /private/open\nDisallow: /%7Euser/\n',
  });
  pages.set('/sitemap.xml', sitemapOf([`${url}/loop/a`, 'not a url']));
  pages.set('/loop/a', pageOf('Loop A', { links: ['/loop/b', './a', '../loop/a'] }));
  pages.set('/loop/b', pageOf('Loop B', { links: ['/loop/a'] }));
  pages.set('/same?a=1&b=2', pageOf('Same'));
  pages.set('/moved', { status: 301, headers: { location: '/moved-again' } });
  pages.set('/moved-again', { status: 302, headers: { location: '/target' } });
  pages.set('/target', pageOf('Target'));
  pages.set('/circle/1', { status: 302, headers: { location: '/circle/2' } });
  pages.set('/circle/2', { status: 302, headers: { location: '/circle/1' } });
  pages.set('/away', { status: 302, headers: { location: 'http://other.example/away' } });
  pages.set('/refreshed', pageOf('Refreshed', { head: '<meta http-equiv="refresh" content="0; url=/target">' }));
  pages.set('/double', pageOf('Original', { head: '<link rel="canonical" href="/original">' }));
  pages.set('/original', pageOf('Original', { head: '<link rel="canonical" href="/original">' }));
  pages.set('/each-other/1', pageOf('Each other', { head: '<link rel="canonical" href="/each-other/2">' }));
  pages.set('/each-other/2', pageOf('Each other', { head: '<link rel="canonical" href="/each-other/1">' }));
  pages.set('/orphan', pageOf('Orphan', { head: '<link rel="canonical" href="/lost-original">' }));
  pages.set(
    '/noindex',
    pageOf('Hidden', { head: '<meta name="robots" content="noindex">', links: ['/behind-noindex'] }),
  );
  pages.set('/behind-noindex', pageOf('Behind'));
  pages.set('/noindex-header', pageOf('Hidden', { headers: { 'x-robots-tag': 'noindex' } }));
  pages.set(
    '/nofollow',
    pageOf('Silent', { head: '<meta name="robots" content="nofollow">', links: ['/never-found'] }),
  );
  pages.set('/gone', { status: 410 });
  pages.set('/secret', { status: 403 });
  pages.set('/teapot', { status: 418 });
  pages.set('/broken', { status: 500 });
  let asked = 0;
  pages.set('/busy', () => (asked++ === 0 ? { status: 429, headers: { 'retry-after': '1' } } : pageOf('Busy')));
  pages.set('/latin', {
    headers: { 'content-type': 'text/html; charset=iso-8859-1' },
    body: Buffer.from(pageOf('Grüße aus latin1').body as string, 'latin1'),
  });
  pages.set('/paper.pdf', {
    headers: { 'content-type': 'application/pdf' },
    body: pdfOf('What the paper says of crawlers'),
  });
  pages.set('/huge', pageOf('Huge', { text: 'x'.repeat(8 * 1024 * 1024) }));
  pages.set('/slow', { delayMs: 11_000, body: 'too late' });
  pages.set('/app', {
    body: `<!doctype html><html><head><title>App</title><script src="/app.js"></script></head><body><div id="root"></div><script>${'window.x=1;'.repeat(500)}</script></body></html>`,
  });
  pages.set('/empty', { body: '<!doctype html><title>Empty</title><body></body>' });
  pages.set('/image.png', {
    headers: { 'content-type': 'image/png' },
    body: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  });
  pages.set('/private/open', pageOf('Open'));
}

/** Returns a PDF with one line (ISO 32000-1). */
function pdfOf(text: string): Buffer {
  const stream = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF`;
  return Buffer.from(`${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`, 'latin1');
}
