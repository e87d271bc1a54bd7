import { looksLikeHtml } from '../../src/html/markup.rules.ts';
import { textOfHtml } from '../../src/html/text.rules.ts';
import { cpuTimeOf } from '../support/measure.ts';

const MB = 1024 * 1024;

describe('the text of HTML', () => {
  it.each([
    ['paragraphs', '<p>Hi <b>Ann</b>,</p><p>yes</p>', 'Hi Ann,\n\nyes'],
    [
      'the paragraphs of Outlook',
      '<p class=MsoNormal>Hi</p><p class=MsoNormal>&nbsp;</p><p class=MsoNormal>yes</p>',
      'Hi\n\nyes',
    ],
    [
      'entities by number',
      '<div>a<div><br></div><div>b &lt; 3 &amp; c &#8364;&#x41;&nbsp;!</div></div>',
      'a\n\nb < 3 & c €A !',
    ],
    ['entities by name', 'Gr&uuml;&szlig;e &unknown; 1 < 2', 'Grüße &unknown; 1 < 2'],
    ['halves of characters', '&#xd83d; &#57343;', '\ufffd \ufffd'],
    [
      'what nobody sees',
      '<head><title>T</title><style>p > a {}</style></head>a<!-- b --><script>if (a < b)</script>c',
      'ac',
    ],
    ['a page and what follows it', '<html><body>a</body></html><p>Scanned by a gateway', 'a\n\nScanned by a gateway'],
    [
      'cells',
      '<table><tr><th>No.</th><th>Price</th></tr><tr><td>1</td><td>2.50</td></tr></table>',
      'No. | Price\n1 | 2.50',
    ],
    ['cells of paragraphs', '<table><tr><td><p>1</p></td><td></td><td><p>2.50</p></td></tr></table>', '1 |  | 2.50'],
    ['cells of several lines', '<table><tr><td>Hi<br>Ann</td><td>yes</td></tr></table>', 'Hi\nAnn\nyes'],
    ['a table with a caption', '<table><caption>Items</caption><tr><td>1</td></tr></table>', 'Items\n1'],
    ['links', 'See <a href="https://x.example/a?b=c&amp;d">our page</a>.', 'See our page <https://x.example/a?b=c&d>.'],
    ['addresses in links', '<a href="mailto:ann@x.example">Ann</a>', 'Ann <ann@x.example>'],
    ['links that show their address', '<a href="https://www.x.example/">x.example</a>', 'x.example'],
    ['links within the page, and programs', '<a href="#top">top</a> <a href="javascript:x()">no</a>', 'top no'],
    ['alternative texts', 'Thanks <img alt="😀" src="cid:1"> <img src="cid:2">!', 'Thanks 😀 !'],
    [
      'a linked image',
      '<a href="https://x.example/shop"><img alt="Our shop"></a>',
      'Our shop <https://x.example/shop>',
    ],
    ['preformatted lines', '<pre>a\n  b\n\nc</pre>', 'a\n  b\n\nc'],
    ['lines kept by a style', '<div style="white-space: pre-wrap">a\n  b</div>', 'a\n  b'],
    ['lists', '<ul><li>a<li>b</ul><ol start=3><li>c</ol>', ' * a\n * b\n\n 3. c'],
    ['a list numbered beyond Roman numbers', '<ol type=i start=99999><li>a</ol>', ' 99999. a'],
    ['a signature', 'Bye<div>--&nbsp;<br>Ann</div>', 'Bye\n-- \nAnn'],
  ])('shows %s', (_, html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  it.each([
    [
      'Gmail',
      'Thank you!<div class="gmail_quote"><div class="gmail_attr">On Mon, 1 May 2026, Shop &lt;<a href="mailto:s@x.example">s@x.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="border-left:1px solid">Ours<blockquote>Theirs</blockquote></blockquote></div>',
      'Thank you!\nOn Mon, 1 May 2026, Shop <s@x.example> wrote:\n> Ours\n> > Theirs',
    ],
    ['Gmail without a blockquote', 'Yes<div class="gmail_quote">Ours</div>', 'Yes\n> Ours'],
    [
      'Apple Mail',
      'Yes<blockquote type="cite" style="border:none">Ours<br><br>and more</blockquote>',
      'Yes\n> Ours\n>\n> and more',
    ],
    ['Yahoo', 'Yes<div class="yahoo_quoted"><div>Ours</div></div>', 'Yes\n> Ours'],
    [
      'Outlook',
      '<p class=MsoNormal>Yes</p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class=MsoNormal><b>Von:</b> Shop<br><b>Gesendet:</b> Montag<br><b>Betreff:</b> Hi</p></div></div><p class=MsoNormal>Ours</p>',
      `Yes\n${'_'.repeat(32)}\nVon: Shop\nGesendet: Montag\nBetreff: Hi\nOurs`,
    ],
    [
      'Outlook on the web',
      'Yes<hr style="width:98%"><div id="divRplyFwdMsg"><b>From:</b> Shop<br><b>Subject:</b> Hi</div>',
      `Yes\n${'_'.repeat(32)}\nFrom: Shop\nSubject: Hi`,
    ],
  ])('marks an earlier message as %s has it', (_, html, text) => {
    expect(textOfHtml(html).replace(/\n+/g, '\n')).toBe(text);
  });

  it.each([
    ['indented', '<blockquote style="margin:0 0 0 40px;border:none;padding:0px">my list</blockquote>', 'my list'],
    [
      'passed on',
      '<div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message ---------<br>From: Bob</div>Hi</div>',
      '---------- Forwarded message ---------\nFrom: Bob\nHi',
    ],
  ])('marks no text that is only %s', (_, html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  it('loses no text of markup that is nested too deeply for a layout', () => {
    const html = `${'<font>a <b>'.repeat(300)}the end${'<p>x</p><td>y'.repeat(2)}<style>p {}</style>`;
    expect(textOfHtml(html)).toBe(`${'a '.repeat(300)}the end\nx\n y\nx\n y`.replace(/\n /g, '\n'));
  });

  it('ends with an ellipsis if the document is longer than what is read', () => {
    expect(textOfHtml(`a${' '.repeat(MB)}b`)).toBe('a…');
  });

  it.each(
    [
      '<',
      '<a',
      '<!--',
      '<style ',
      '</style ',
      '<style></styl',
      '&#',
      '&#32;',
      ' ',
      '\u00a0',
      '<p>',
      '<a <',
      '<b>',
      '<ul>',
    ].concat([
      '<ol><li>',
      '<table>',
      '<a href=https://x.example>',
      '<td>a',
      '<blockquote>',
      '<h1>',
      '<div class=gmail_quote>',
      '-- <br>',
    ]),
  )('takes one pass over 300,000 characters of %j', (unit) => {
    const [, cpuMs] = cpuTimeOf(() => textOfHtml(unit.repeat(300_000 / unit.length)));
    expect(cpuMs).toBeLessThan(5_000);
  });
});

describe('a body without a statement of its format', () => {
  it.each([
    '<p>Hi</p>',
    'Hi<br>Ann',
    'Hi<BR/>Ann',
    '<!doctype html><html><body class="x">Hi</body></html>',
    '<a href="https://x.example/?a=1">more</a>',
    '<ul>\n<li>one\n</ul>',
  ])('is HTML with a complete element: %j', (body) => {
    expect(looksLikeHtml(body)).toBe(true);
  });

  it.each([
    'Please write to <help@example.com> today.',
    'See <https://x.example/a>',
    '1 < 2 and a > b',
    'Dear <Name>, bye </Name>',
    'a <b is> not closed',
    '</p><p>',
    '<!-- only a comment -->',
    '<3 you',
    '',
  ])('is text without one: %j', (body) => {
    expect(looksLikeHtml(body)).toBe(false);
  });

  it.each(['<', '<a ', '<p ', '<p>', '</p>', '<p <'])('is told apart in one pass over a megabyte of %j', (unit) => {
    const [, cpuMs] = cpuTimeOf(() => looksLikeHtml(unit.repeat(MB / unit.length)));
    expect(cpuMs).toBeLessThan(2_000);
  });
});
