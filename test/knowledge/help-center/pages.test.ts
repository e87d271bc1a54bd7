import { createHash } from 'node:crypto';
import { Parser } from 'htmlparser2';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';

const EVIL = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>';

let api: TestApi;
let org: TestOrg;
let home: string;
beforeAll(async () => {
  api = await startApi();
  org = await api.createOrg(`Acme ${EVIL}`);
  home = `${api.url}/help/${org.id}`;
  await org.put('/help-center/content', {
    categories: [
      {
        name: 'Billing',
        slug: 'billing',
        description: 'About money',
        articles: [
          {
            title: 'Refunds & returns',
            slug: 'refunds',
            content_markdown:
              '## When\n\nWithin **30 days**, see [terms](../terms).\n\n| a | b |\n|---|---|\n| 1 | 2 |',
            meta_title: 'Get money back',
            meta_description: 'How "refunds" work',
          },
        ],
        categories: [{ name: 'Taxes', slug: 'täx', articles: [{ title: 'Nothing yet', slug: 'empty' }] }],
      },
      {
        name: EVIL,
        slug: 'evil',
        description: EVIL,
        articles: [
          {
            title: EVIL,
            slug: '"onload=x',
            content_markdown: `${EVIL}\n\n[a](javascript:alert(1)) [b](data:text/html,x) ![c](javascript:x) <iframe src=x></iframe>\n\n[q](https://x.example/"onclick="y)`,
            meta_description: EVIL,
          },
        ],
      },
    ],
  });
});
afterAll(() => api.close());

const read = async (path = '', headers: Record<string, string> = {}) => {
  const response = await fetch(home + path, { headers });
  return { status: response.status, headers: response.headers, html: await response.text() };
};

const inCategory = (article: object) => ({ categories: [{ name: 'All', slug: 'all', articles: [article] }] });

function elementsOf(html: string) {
  const elements: { name: string; attributes: Record<string, string> }[] = [];
  new Parser({ onopentag: (name, attributes) => elements.push({ name, attributes }) }).end(html);
  return elements;
}

describe('robots.txt', () => {
  it('lets crawlers read help centers alone, and no list names the orgs', async () => {
    const robots = await (await fetch(`${api.url}/robots.txt`)).text();
    expect(robots).toBe('User-agent: *\nAllow: /help/\nDisallow: /\n');
    const index = await fetch(`${api.url}/help/sitemap.xml`);
    expect([index.status, (await index.text()).includes(org.id)]).toEqual([404, false]);
  });
});

describe('the public help center', () => {
  it('shows an article as a page with its metadata, without a key', async () => {
    const { status, headers, html } = await read('/billing/refunds');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html).toContain('<title>Get money back</title>');
    expect(html).toContain('<meta name="description" content="How &quot;refunds&quot; work">');
    expect(html).toContain(`<link rel="canonical" href="${home}/billing/refunds">`);
    expect(html).toContain('<h1>Refunds &amp; returns</h1>');
    expect(html).toMatch(
      /<h2 id="s-when">When<\/h2>\s*<p>Within <strong>30 days<\/strong>, see <a href="\.\.\/terms">terms<\/a>/,
    );
    expect(html).toContain('<td>1</td>');
    expect(html).toContain(`<a href="${home}/billing">Billing</a>`);
  });

  it.each([
    ['# Refunds & returns\n\nText.', 'h1 p'],
    ['  #   refunds & Returns #\n\nText.', 'h1 p'],
    ['Refunds & returns\n===\n\nText.', 'h1 p'],
    ['# **Refunds** & returns\n\n## Part', 'h1 h2'],
    ['# Another\n\n## Part\n\n> # Quoted', 'h1 h2 h3 h2'],
    ['# Refunds & returns\n\n# Part\n\n###### Deep', 'h1 h2 h6'],
    ['## Part\n\n### Detail', 'h1 h2 h3'],
    ['```\n# Refunds & returns\n```', 'h1'],
  ])('has the title as its only heading of the first level: %j', async (content_markdown, names) => {
    const titled = await api.createOrg();
    const article = { title: 'Refunds & returns', slug: 'refunds', content_markdown };
    await titled.put('/help-center/content', inCategory(article));
    const html = await (await fetch(`${api.url}/help/${titled.id}/all/refunds`)).text();
    const shown = elementsOf(html).flatMap(({ name }) => (/^(?:h\d|p)$/.test(name) ? [name] : []));
    expect(shown.join(' ')).toBe(names);
  });

  it('has one title in a long article too, which a thread renders', async () => {
    const content_markdown = `# Long\n\n${'Many words. '.repeat(600)}\n\n# Part`;
    const titled = await api.createOrg();
    await titled.put('/help-center/content', inCategory({ title: 'Long', slug: 'long', content_markdown }));
    const html = await (await fetch(`${api.url}/help/${titled.id}/all/long`)).text();
    expect(elementsOf(html).flatMap(({ name }) => (/^h\d$/.test(name) ? [name] : []))).toEqual(['h1', 'h2']);
  });

  it('shows single categories and the complete contents, in the order of the tree', async () => {
    const { html } = await read();
    const places = ['>Billing<', '>Refunds &amp; returns<', '>Taxes<', '>Nothing yet<'].map((text) =>
      html.indexOf(text),
    );
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const { html: taxes } = await read('/billing/t%C3%A4x');
    expect(taxes).toContain('<h1>Taxes</h1>');
    expect(taxes).toContain(`href="${home}/billing/t%C3%A4x/empty"`);
    expect(taxes).not.toContain('Refunds &amp; returns');
    expect((await read('/billing/t%C3%A4x/empty')).html).toContain('<h1>Nothing yet</h1>');
  });

  it('finds articles by their text, and escapes the query', async () => {
    const { html } = await read('?q=30%20days');
    expect(html).toContain(`<a href="${home}/billing/refunds">Refunds &amp; returns</a>`);
    expect(html).not.toContain('Nothing yet');
    const none = await read(`?q=${encodeURIComponent(`zzzzqqqq ${EVIL}`)}`);
    expect([none.status, none.html.includes('<script>'), none.html.includes('<img')]).toEqual([200, false, false]);
    expect((await read('?q=a&q=b')).status).toBe(200);
  });

  it.each(['', '/evil', '/evil/%22onload=x', '?q=alert'])('loads and runs no scripts: %s', async (path) => {
    const { status, html, headers } = await read(path);
    expect(status).toBe(200);
    const elements = elementsOf(html);
    expect(elements.length).toBeGreaterThan(10);
    for (const { name, attributes } of elements) {
      expect(['script', 'iframe', 'img']).not.toContain(name);
      expect(Object.keys(attributes).filter((attribute) => attribute.startsWith('on'))).toEqual([]);
      if (attributes.href !== undefined) expect(attributes.href).toMatch(/^(?:https?:|\.)/);
    }
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('allows its own style in its content security policy', async () => {
    const { html, headers } = await read();
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64');
    expect(headers.get('content-security-policy')).toContain(`'sha256-${digest}'`);
  });

  it('can be cached, and answers 304 if unchanged', async () => {
    const first = await read('/billing/refunds');
    expect(first.headers.get('cache-control')).toMatch(/^public, max-age=\d+/);
    const etag = first.headers.get('etag') ?? '';
    const again = await read('/billing/refunds', { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, again.html]).toEqual([304, '']);
    expect((await read('/billing/refunds', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each([
    '/nowhere',
    '/billing/',
    '/billing/refunds/more',
    '/%00',
    '/..%2f..',
    `/${'x'.repeat(3_000)}`,
    '/%F0%9F%98%80',
  ])('has no page at unknown addresses (%#)', async (path) => {
    const { status, html } = await read(path);
    expect([400, 404]).toContain(status);
    expect(html).not.toContain('Billing');
  });

  it('shows the contents of a long article, its date and the article after it', async () => {
    const centered = await api.createOrg();
    const content_markdown = '## One\n\na\n\n### `Two` & <b>\n\nb\n\n## One\n\nc';
    const articles = [
      { title: 'First', slug: 'first', content_markdown },
      { title: 'Second', slug: 'second', content_markdown: '## Only\n\nd' },
    ];
    await centered.put('/help-center/content', { categories: [{ name: 'All', slug: 'all', icon: '📦', articles }] });
    const shown = async (path: string) => (await fetch(`${api.url}/help/${centered.id}${path}`)).text();
    const first = await shown('/all/first');
    const links = [...first.matchAll(/href="[^"]*#([^"]+)"/g)].map(([, id]) => id);
    expect(links).toEqual(['s-one', 's-two-b', 's-one-2']);
    for (const id of links) expect(first).toContain(` id="${id}"`);
    expect(first).toMatch(new RegExp(`<time datetime="${new Date().toISOString().slice(0, 10)}T`));
    expect(first).toContain(`Next: <a href="${api.url}/help/${centered.id}/all/second">Second</a>`);
    const second = await shown('/all/second');
    expect([second.includes('Next:'), second.includes('class="contents"')]).toEqual([false, false]);
    expect(await shown('')).toContain('<span class="icon" aria-hidden="true">📦</span>');
  });

  it('keeps the words of a search in its field, and shows the sentence that was found', async () => {
    const { html } = await read('?q=30%20days');
    expect(html).toContain('name="q" value="30 days"');
    expect(html).toMatch(/<small>[^<]*Within[^<]*30 days/);
    expect(html).toContain('<meta name="robots" content="noindex">');
  });

  it('leads home and searches from a page that is not there', async () => {
    const { status, html } = await read('/nowhere');
    expect(status).toBe(404);
    expect(html).toContain(`<a href="${home}">Home</a>`);
    expect(html).toContain(`<form action="${home}"`);
  });

  it('lists its pages for search engines', async () => {
    const { status, headers, html } = await read('/sitemap.xml');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
    expect([...html.matchAll(/<loc>/g)]).toHaveLength(7);
    expect(html).toMatch(new RegExp(`<loc>${home}/billing/refunds</loc><lastmod>\\d{4}-`));
    expect((await fetch(`${api.url}/help/${crypto.randomUUID()}/sitemap.xml`)).status).toBe(404);
  });

  it('says the language of the org', async () => {
    expect((await read()).html).toContain('<html lang="en">');
    await api.db.updateTable('orgs').set({ language: 'de' }).where('id', '=', org.id).execute();
    expect((await read('/billing/refunds')).html).toContain('<html lang="de">');
  });

  it('exists only for orgs with a help center, under the id of the org', async () => {
    const without = await api.createOrg();
    for (const id of [without.id, crypto.randomUUID(), 'x', "'", '%00']) {
      const { status } = await fetch(`${api.url}/help/${id}`);
      expect([400, 404]).toContain(status);
    }
    const missing = await fetch(`${api.url}/help/${without.id}/billing/refunds`);
    expect(missing.status).toBe(404);
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(await missing.text()) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(missing.headers.get('content-security-policy')).toContain(`'sha256-${hash}'`);
  });
});
