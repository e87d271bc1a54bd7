import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { readHtml } from '../../src/extraction/page.ts';

const FEW = { numRuns: process.env.TEST_TIER === 'long' ? 10_000 : 1_000 };
const markdownIt = new MarkdownIt({ html: false });

const markdownOf = (html: string) => readHtml(`<main>${html}</main>`, 'https://docs.example/guide/page').markdown;

describe('the Markdown of a page', () => {
  it.each([
    [
      'paragraphs',
      '<p>One\n  line</p><p>two<br>three</p>text <span>of</span> <i>none</i>',
      'One line\n\ntwo  \nthree\n\ntext of none',
    ],
    ['headings', '<h1>A <b>b</b></h1><h3>C</h3><h2> </h2><h6>C #</h6>', '# A b\n\n### C\n\n###### C \\#'],
    ['anchors of headings', '<h2>Title<a href="#title">¶</a></h2>', '## Title'],
    ['strong text', '<p><b>Note:</b>text <strong> a </strong>b<b>c</b><b>d</b>', '**Note**:text **a** b**cd**'],
    [
      'links',
      '<p><a href="../x?a=1#b">to [x]</a>, <a href="#y">here</a>, <a href="mailto:a@b.c">mail</a>, <a href="/(a)">p</a>',
      '[to \\[x\\]](https://docs.example/x?a=1#b), here, mail, [p](https://docs.example/%28a%29)',
    ],
    [
      'pictures',
      '<p><img alt="A map" src="m.png"> <img src="x.png"> <a href="/z"><img alt="Home"></a></p>',
      'A map [Home](https://docs.example/z)',
    ],
    [
      'lists',
      '<ul><li>a<li>b<ol start="3"><li>c<li><p>d</p><p>e</p></ol></li><li></li></ul>',
      '- a\n\n- b\n  3. c\n\n  4. d\n\n     e',
    ],
    ['lists directly in lists', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
    [
      'code with its language',
      '<pre><code class="hljs language-TypeScript">\nlet a = `x`;\n\n  b</code></pre>',
      '```typescript\nlet a = `x`;\n\n  b\n```',
    ],
    [
      'code with its language around it',
      '<div class="highlight highlight-source-shell"><pre>ls <span>-l</span></pre></div>',
      '```shell\nls -l\n```',
    ],
    [
      'code of lines',
      '<pre data-language="js"><div>a</div><div>b</div></pre><pre>c<br>d</pre>',
      '```js\na\nb\n```\n\n```\nc\nd\n```',
    ],
    ['code that holds a fence', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    ['code in a line', '<p>call <code>a`b</code> or <kbd>Ctrl</kbd></p>', 'call ``a`b`` or `Ctrl`'],
    ['quotes', '<blockquote><p>a</p><ul><li>b</ul></blockquote>', '> a\n>\n> - b'],
    ['definitions', '<dl><dt>Term</dt><dd>Meaning</dd></dl>', '**Term**\n\nMeaning'],
    [
      'folded answers',
      '<h2>FAQ</h2><details><summary>Why?</summary>Because.</details>',
      '## FAQ\n\n### Why?\n\nBecause.',
    ],
    ['cards', '<a href="/c"><h3>Card</h3><p>About</p></a>', '### [Card](https://docs.example/c)\n\nAbout'],
    ['formulas', '<p>is <math alttext="x^2"><mi>x</mi></math></p>', 'is `x^2`'],
    ['nothing', '<p> </p><ul><li></ul><pre> </pre><table></table>', ''],
  ])('represents %s', (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));

  it.each([
    [
      'a head',
      '<table><caption>Prices</caption><thead><tr><th>Name</th><th>a|b</th></tr></thead><tbody><tr><td>x<td><p>1</p><p>2</p></tbody></table>',
      'Prices\n\n| Name | a\\|b |\n| --- | --- |\n| x | 1 2 |',
    ],
    ['no head', '<table><tr><td>a<td>b<tr><td>c</table>', '|  |  |\n| --- | --- |\n| a | b |\n| c |  |'],
    [
      'cells over rows and columns',
      '<table><tr><th>A<th>B<th>C<tr><td rowspan=2>x<td colspan=2>y<tr><td>1<td>2</table>',
      '| A | B | C |\n| --- | --- | --- |\n| x | y |  |\n| x | 1 | 2 |',
    ],
    [
      'marks in cells',
      '<table><tr><th>A<th>B<tr><td><b>x</b><br>y<td><a href="/z">z</a></table>',
      '| A | B |\n| --- | --- |\n| **x** y | [z](https://docs.example/z) |',
    ],
  ])('represents tables with %s', (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));

  it.each([
    ['a single column', '<table><tr><td>a<tr><td>b</table>', 'a\n\nb'],
    [
      'tables within',
      '<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>e<tr><td>f</table>',
      '|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n\ne\n\nf',
    ],
    ['a role that says so', '<table role="presentation"><tr><td>a<td>b<tr><td>c<td>d</table>', 'a\n\nb\n\nc\n\nd'],
  ])('flattens layout tables: %s', (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));

  it('renders exactly the words of the page, whatever characters they contain', () => {
    const mark = fc.constantFrom(
      ...'*_`[]()<>#+-.!|~&;\\:=1a '.split(''),
      '&amp;',
      '](x)',
      '```',
      '~~~',
      '- ',
      '1. ',
      '---',
      'https://x.y',
      '<b>',
      '[a]: b',
      '**',
    );
    const text = fc
      .array(fc.oneof(mark, mark, fc.string({ unit: 'grapheme', maxLength: 4 })), { maxLength: 20 })
      .map((parts) => parts.join(''));
    const escaped = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const shown = (html: string) =>
      html
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&');
    const plain = (words: string) =>
      words
        .replace(/[^\P{Cc}\t\n\r]/gu, '')
        .toWellFormed()
        .replace(/\s+/g, ' ')
        .trim();
    fc.assert(
      fc.property(fc.array(text, { maxLength: 3 }), (lines) => {
        const html = `<p>${lines.map(escaped).join('<br>')}</p><p>end</p>`;
        const rendered = markdownIt.render(markdownOf(html));
        expect(plain(shown(rendered))).toBe(
          plain(
            [...lines, 'end']
              .map(plain)
              .filter((line) => line !== '')
              .join(' '),
          ),
        );
        expect(rendered.match(/<(?!\/?p>|br>)\w+/g)).toBeNull();
      }),
      { ...FEW, examples: [[[' * ']], [[' * one', ' * two']]] },
    );
  });

  it('limits the indentation of deeply nested lists and quotes', () => {
    const markdown = markdownOf(`${'<ul><li>x'.repeat(300)}${'<blockquote>y'.repeat(300)}`);
    expect(Math.max(...markdown.split('\n').map((line) => line.search(/[^ >-]/)))).toBeLessThan(50);
    expect(markdown.match(/x/g)).toHaveLength(300);
  });
});
