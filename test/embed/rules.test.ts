import { backoffMs } from '../../embed/src/rules/backoff.rules.ts';
import { isColor, textColorOn } from '../../embed/src/rules/colours.rules.ts';
import { argumentsOf, mergeItems } from '../../embed/src/rules/history.rules.ts';
import { type Block, blocksOf, type Inline, inlinesOf, safeHref } from '../../embed/src/rules/markdown.rules.ts';
import { userOf } from '../../embed/src/rules/user.rules.ts';

/** Writes parts in short: **bold**, _emphasis_, `code` and <address|text>. */
const short = (parts: Inline[]): string =>
  parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      if (part.kind === 'code') return `\`${part.text}\``;
      if (part.kind === 'emphasis') return `_${short(part.children)}_`;
      return part.kind === 'bold' ? `**${short(part.children)}**` : `<${part.href}|${short(part.children)}>`;
    })
    .join('');
const outline = (block: Block): string => {
  if (block.kind === 'code') return `code:${block.text}`;
  if (block.kind === 'list')
    return `${block.isOrdered ? `ol${block.start}` : 'ul'}:${block.items.map(short).join('|')}`;
  return `${block.kind}:${block.lines.map(short).join('|')}`;
};

describe('the user of a token', () => {
  const tokenOf = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.signature`;

  it('is the same in each token of the user, in any alphabet', () => {
    expect(userOf(tokenOf({ jti: 'anna', iat: 1 }))).toBe('anna');
    expect(userOf(tokenOf({ name: '???>>>Zoë', iat: 2, jti: 'anna' }))).toBe('anna');
  });

  it('is the text itself where it is no token, and nobody without one', () => {
    expect(['worthless', 'a.b.c', tokenOf({ sub: 'org' })].map(userOf)).toEqual([
      'worthless',
      'a.b.c',
      tokenOf({ sub: 'org' }),
    ]);
    expect([userOf(undefined), userOf('')]).toEqual([undefined, undefined]);
  });
});

describe('the markdown of answers', () => {
  it.each([
    ['plain text', 'plain text'],
    ['**bold** and __too__', '**bold** and **too**'],
    ['press *Return*.', 'press _Return_.'],
    ['*one **and** two* _three_', '_one **and** two_ _three_'],
    ['**open *Billing* now**', '**open _Billing_ now**'],
    ['2*3*4 and file_name_old', '2*3*4 and file_name_old'],
    ['a * b * c, *unclosed', 'a * b * c, *unclosed'],
    ['`a **b**`', '`a **b**`'],
    ['[Refunds](https://a.example/r)', '<https://a.example/r|Refunds>'],
    ['[**Refunds**](https://a.example/r)!', '<https://a.example/r|**Refunds**>!'],
    ['see https://a.example/r.', 'see <https://a.example/r|https://a.example/r>.'],
    ['(http://a.example)', '(<http://a.example/|http://a.example>)'],
    ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
    ['[x](data:text/html,1)', '[x](data:text/html,1)'],
    ['[x](/relative)', '[x](/relative)'],
    ['[https://a.example](https://b.example)', '<https://b.example/|https://a.example>'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['2 ** 3 ** 4', '2 ** 3 ** 4'],
    ['[your e\\-mail](https://a.example/e)', '<https://a.example/e|your e-mail>'],
    ['\\*\\*not bold\\*\\* in C:\\temp', '**not bold** in C:\\temp'],
    ['** **', '** **'],
    ['unclosed **bold and `code', 'unclosed **bold and `code'],
    ['xhttps://a.example', 'xhttps://a.example'],
  ])('reads %j', (text, expected) => expect(short(inlinesOf(text))).toBe(expected));

  it.each([
    ['a\nb\n\nc', ['paragraph:a|b', 'paragraph:c']],
    ['Do:\n- one\n- two\n\nDone', ['paragraph:Do:', 'ul:one|two', 'paragraph:Done']],
    ['3. three\n4. four', ['ol3:three|four']],
    ['- one\n  more', ['ul:one more']],
    ['## Title\ntext', ['paragraph:**Title**|text']],
    ['```js\n- a\n```\nb', ['code:- a', 'paragraph:b']],
    ['```\nopen', ['code:open']],
    ['> said\n> so\n\nyes', ['quote:said|so', 'paragraph:yes']],
    ['> # Refunds\n> Five days', ['quote:**Refunds**|Five days']],
    ['-no list', ['paragraph:-no list']],
    ['', []],
  ])('has the blocks of %j', (text, expected) => expect(blocksOf(text).map(outline)).toEqual(expected));

  it('takes time in proportion to the text', () => {
    const before = performance.now();
    for (const text of [
      '['.repeat(5_000),
      '**'.repeat(5_000),
      '`a'.repeat(5_000),
      ' *a'.repeat(5_000),
      'http://'.repeat(2_000),
    ])
      blocksOf(text);
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it.each([
    ['https://a.example/x?y=1', 'https://a.example/x?y=1'],
    ['HTTP://A.example', 'http://a.example/'],
    ['javascript:1', undefined],
    ['//a.example', undefined],
  ])('links to %s as %s', (text, expected) => expect(safeHref(text)).toBe(expected));
});

describe('a history', () => {
  const item = (publicId: string, text: string) => ({ publicId, text });
  it.each([
    ['appends new items', [item('a', '1')], [item('b', '2')], ['a1', 'b2']],
    ['replaces an item that changed, in its place', [item('a', '1'), item('b', '2')], [item('a', '')], ['a', 'b2']],
    ['repeats nothing', [item('a', '1')], [item('a', '1'), item('b', '2')], ['a1', 'b2']],
    ['begins with what is found', [], [item('a', '1')], ['a1']],
  ])('%s', (_, known, newer, expected) =>
    expect(mergeItems(known, newer).map(({ publicId, text }) => publicId + text)).toEqual(expected),
  );

  it('has a form’s arguments by their groups, with the types that they had', () => {
    const fields = [
      { name: 'order', value: 'A-1', in: 'body_params' },
      { name: 'amount', value: '20', in: 'body_params' },
      { name: '__proto__', value: 'x', in: 'query_params' },
    ];
    const read = argumentsOf(fields, ['A-2', '25', 'y']);
    expect(JSON.stringify(read)).toBe('{"body_params":{"order":"A-2","amount":25},"query_params":{"__proto__":"y"}}');
    expect(argumentsOf(fields, ['17', 'many']).body_params).toEqual({ order: '17', amount: 'many' });
  });
});

it.each([
  ['#ffffff', '#000000'],
  ['#1c4fd8', '#ffffff'],
  ['#ffd400', '#000000'],
  ['#0f766e', '#ffffff'],
])('writes on %s in %s', (color, expected) => expect(textColorOn(color)).toBe(expected));

it.each([['red'], ['#fff'], ['#12345g'], [undefined]])('takes %s for no colour', (text) =>
  expect(isColor(text)).toBe(false),
);

it.each([
  [0, 0, 500],
  [0, 1, 1_000],
  [3, 1, 8_000],
  [99, 1, 30_000],
])('waits after %i failures, with %d of chance, for %i ms', (failures, random, ms) =>
  expect(backoffMs(failures, random)).toBe(ms),
);
