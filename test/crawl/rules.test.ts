import fc from 'fast-check';
import { parseRobots } from '../../src/crawl/fetching/robots.ts';
import { compilePattern, problemOfPattern } from '../../src/crawl/scope/patterns.rules.ts';
import { scopePathOf, siteOf } from '../../src/crawl/scope/rules.ts';
import { keysOf, parsePageUrl, trapOf } from '../../src/crawl/scope/urls.rules.ts';
import { cpuTimeOf } from '../support/measure.ts';

const keyOf = (url: string) => keysOf(parsePageUrl(url) as URL).key;

describe('the key of a URL', () => {
  it.each([
    ['http://Docs.Example.com', 'docs.example.com/'],
    ['https://docs.example.com:443/', 'docs.example.com/'],
    ['http://docs.example.com:8080/', 'docs.example.com:8080/'],
    ['http://www.example.com/a', 'example.com/a'],
    ['http://example.com/a#part', 'example.com/a'],
    ['http://example.com/a?b=2&a=1', 'example.com/a?a=1&b=2'],
    ['http://example.com/a?utm_source=x&gclid=y&q=z', 'example.com/a?q=z'],
    ['http://example.com/a;jsessionid=12?fbclid=1', 'example.com/a'],
    ['http://example.com/%7euser/%c3%bc', 'example.com/~user/%C3%BC'],
    ['http://example.com/a/../b/./c', 'example.com/b/c'],
  ])('the key of %s is %s', (url, key) => {
    expect(keyOf(url)).toBe(key);
  });

  it('stays the same when derived from its own URL, for any URL', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
        const url = parsePageUrl(text);
        return url === undefined || keyOf(`http://${keyOf(text)}`) === keyOf(text);
      }),
    );
  });

  it.each(['mailto:a@b.c', 'javascript:1', 'http://a:b@c.example/', 'nonsense', 'http://'])(
    'does not exist for %s',
    (text) => {
      expect(parsePageUrl(text)).toBeUndefined();
    },
  );
});

describe('a path pattern', () => {
  it.each([
    ['/docs', ['/docs', '/docs/', '/docs/a/b'], ['/docsy', '/', '/a/docs']],
    ['/docs/', ['/docs/', '/docs/a', '/docs'], ['/docsy']],
    ['=/docs', ['/docs'], ['/docs/', '/docs/a']],
    ['/', ['/', '/a/b'], []],
    ['=/', ['/'], ['/a']],
    ['/*/print', ['/a/print', '/a/print/b'], ['/a/b/print', '/print']],
    ['/**/print', ['/a/print', '/a/b/print'], ['/a/printer']],
    ['=/a/*', ['/a/b', '/a/'], ['/a/b/c', '/a']],
    ['/v*.html', ['/v1.html', '/v.html/x'], ['/a/v1.html']],
    ['/ü', ['/%C3%BC', '/%c3%bc/x'], ['/u']],
    ['/%7Euser', ['/~user'], ['/user']],
  ])('%s matches the expected paths', (pattern, yes, no) => {
    const matches = compilePattern(pattern);
    expect(problemOfPattern(pattern)).toBeUndefined();
    expect(yes.filter((path) => !matches(path))).toEqual([]);
    expect(no.filter((path) => matches(path))).toEqual([]);
  });

  it('agrees with an equivalent regular expression', () => {
    const part = fc.constantFrom('a', 'b', '/', '*', '**');
    const path = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 8 }).map((parts) => `/${parts.join('')}`);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), path, (parts, text) => {
        const pattern = `/${parts.join('')}`.replaceAll(/\*{3,}/g, '**');
        const source = pattern.replaceAll(/\*\*|\*/g, (stars) => (stars === '**' ? '.*' : '[^/]*'));
        const exactly = new RegExp(`^${source}$`);
        const below = new RegExp(`^${source.replace(/\/$/, '')}(/.*)?$`);
        expect([pattern, text, compilePattern(`=${pattern}`)(text)]).toEqual([pattern, text, exactly.test(text)]);
        expect([pattern, text, compilePattern(pattern)(text)]).toEqual([pattern, text, below.test(text)]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never takes long, even with many wildcards', () => {
    const [, cpuMs] = cpuTimeOf(() => compilePattern(`/${'**a'.repeat(80)}`)(`/${'a'.repeat(1_900)}b`));
    expect(cpuMs).toBeLessThan(1_000);
  });

  it.each(['/***', '/a?b', '/a b', '/a#b'])('"%s" is refused as invalid', (pattern) => {
    expect(problemOfPattern(pattern)).toBeDefined();
  });
});

describe('the scope of a start URL', () => {
  it.each([
    ['http://a.example', '/'],
    ['http://a.example/docs', '/docs'],
    ['http://a.example/docs/', '/docs/'],
    ['http://a.example/docs/index.html', '/docs/'],
  ])('%s is %s', (url, path) => {
    expect(scopePathOf(new URL(url))).toBe(path);
  });

  it('is its own host, and the www. variant only if both are the same site', () => {
    const settings = {
      url: 'http://a.example/',
      include_paths: [],
      exclude_paths: [],
      ignored_parameters: [],
    };
    const refusal = (includes_www: boolean, url: string) =>
      siteOf({ ...settings, includes_www }).refusalOf(new URL(url), { depth: 1, isWanted: false });
    expect(refusal(false, 'http://www.a.example/x')).toBe('other_site');
    expect(refusal(true, 'http://www.a.example/x')).toBeUndefined();
    expect(refusal(true, 'http://b.a.example/x')).toBe('other_site');
    expect(refusal(true, 'http://a.example:8080/x')).toBe('other_site');
  });
});

describe('the trap detection of URLs', () => {
  it.each([
    ['/a/b/c', 1, undefined],
    ['/a/b/a/b', 1, undefined],
    ['/a/b/a/b/a', 1, 'repeated_path'],
    ['/x/x/x', 1, 'repeated_path'],
    ['/2024/01/01/01', 1, undefined],
    ['/a', 21, 'too_deep'],
    [`/${'a'.repeat(2_000)}`, 1, 'too_long_url'],
  ])('classifies %s at depth %d as %s', (path, depth, reason) => {
    expect(trapOf(new URL(`http://a.example${path}`), depth)).toBe(reason);
  });
});

describe('robots.txt', () => {
  const robots = (content: string) => parseRobots('http://a.example', content);
  const allows = (content: string, path: string) => robots(content).allows(new URL(`http://a.example${path}`));

  it.each([
    ['', '/x', true],
    ['User-agent: *\nDisallow: /', '/x', false],
    ['User-agent: *\nDisallow: /', '/robots.txt', true],
    ['User-agent: *\nDisallow:', '/x', true],
    ['User-agent: *\nDisallow: /\n\nUser-agent: SwitchboardBot\nAllow: /', '/x', true],
    ['User-agent: other\nDisallow: /', '/x', true],
    ['User-agent: switchboardbot/2.0\nDisallow: /x', '/x', false],
    ['User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c', true],
    ['User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf?x', true],
    ['User-agent: *\nDisallow: /%7Ejoe/', '/~joe/x', false],
    ['User-agent: *\nDisallow: /~joe/', '/%7ejoe/x', false],
    ['\uFEFFUser-agent: *\nDisallow: /x', '/x', false],
    ['User-agent: a\nUser-agent: *\nDisallow: /x', '/x', false],
    ['user-agent: * # all\r\ndisallow: /x # this', '/x', false],
    ['<html>not found</html>', '/x', true],
  ])('with the content %j and the path %s gives allowed: %s', (content, path, isAllowed) => {
    expect(allows(content, path)).toBe(isAllowed);
  });

  it('provides the crawl delay and the addresses of sitemaps', () => {
    expect(robots('User-agent: *\nCrawl-delay: 2.5\nSitemap: http://a.example/s.xml')).toMatchObject({
      delayMs: 2_500,
      sitemaps: ['http://a.example/s.xml'],
    });
    expect(robots('User-agent: *\nCrawl-delay: 86400').delayMs).toBe(60_000);
    expect(robots('User-agent: *\nCrawl-delay: soon').delayMs).toBeNull();
  });
});
