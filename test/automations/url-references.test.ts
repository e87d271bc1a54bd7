import { resolveReferences } from '../../src/automations/blocks/references.rules.ts';

const urlOf = (url: string, input: Record<string, string | number | null | object>): unknown => {
  const resolved = resolveReferences({ url, body: { url } }, new Map([['trigger', { ...input }]]) as never, {
    urls: ['url'],
  });
  return (resolved as { url: unknown }).url;
};

describe('values in the address of a webhook', () => {
  it.each([
    ['https://a.example/o/{{trigger.x}}/items', 'a/b?c#d', 'https://a.example/o/a%2Fb%3Fc%23d/items'],
    ['https://a.example/o/{{trigger.x}}', '100% ä', 'https://a.example/o/100%25%20%C3%A4'],
    ['https://a.example/o?q={{trigger.x}}&page=1', 'x&page=2#', 'https://a.example/o?q=x%26page%3D2%23&page=1'],
    ['https://a.example/o?q={{trigger.x}}', '../a+b', 'https://a.example/o?q=..%2Fa%2Bb'],
    ['https://a.example/{{trigger.x}}.pdf', '..', 'https://a.example/...pdf'],
    ['https://a.example/o#{{trigger.x}}', 'a b', 'https://a.example/o#a%20b'],
    ['https://{{trigger.x}}.a.example/o', 'shop', 'https://shop.a.example/o'],
    ['https://a.example/o/{{trigger.x}}', 17, 'https://a.example/o/17'],
    ['https://a.example/o/{{trigger.x}}', null, 'https://a.example/o/'],
    ['https://a.example/o/{{trigger.x}}', 'a\ud800', 'https://a.example/o/a%EF%BF%BD'],
    ['{{trigger.x}}', 'https://b.example/a?b=c&d=e#f', 'https://b.example/a?b=c&d=e#f'],
    ['{{trigger.x}}/o?q={{trigger.x}}', 'https://b.example/a', 'https://b.example/a/o?q=https%3A%2F%2Fb.example%2Fa'],
    [
      '{{trigger.x}}&q={{trigger.x}}',
      'https://b.example/?a=1',
      'https://b.example/?a=1&q=https%3A%2F%2Fb.example%2F%3Fa%3D1',
    ],
  ])('in %s, %j makes %s', (url, x, expected) => {
    expect(urlOf(url, { x })).toBe(expected);
  });

  it.each([
    ['https://a.example/o/{{trigger.x}}/items', '..'],
    ['https://a.example/o/{{trigger.x}}/items', '.'],
    ['https://a.example/o/{{trigger.x}}', '%2e%2E'],
    ['https://a.example/o/.{{trigger.x}}/items', '.'],
    ['https://a.example/o/{{trigger.x}}{{trigger.x}}', '.'],
  ])('in %s, %j never leaves its part of the path', (url, x) => {
    const pathOf = () => new URL(String(urlOf(url, { x }))).pathname;
    if (x.startsWith('%')) expect(pathOf()).toBe('/o/%252e%252E');
    else expect(pathOf).toThrow('url');
  });

  it.each(['@b.example/', '.b.example', 'b.example:1@', ':1', 'x\\', '/x', '?x', '#x'])(
    'a host of the template cannot be continued by %j, and one with it is no address',
    (x) => {
      for (const rest of ['', '/o', '?q', '#f'])
        expect(() => urlOf(`https://a.example{{trigger.x}}${rest}`, { x })).toThrow('url');
      for (const url of ['https://{{trigger.x}}.a.example/', 'https://a.example:8{{trigger.x}}.b.example/'])
        if (x !== '.b.example') expect(() => new URL(String(urlOf(url, { x })))).toThrow(/url/i);
      expect(urlOf('https://a.example{{trigger.x}}/o', { x: null })).toBe('https://a.example/o');
    },
  );

  it('other values of the step stay as they are', () => {
    const outputs = new Map([['trigger', { x: 'a/b' }]]);
    const template = { url: 'https://a.example/{{trigger.x}}', body: { url: 'https://a.example/{{trigger.x}}' } };
    expect(resolveReferences(template, outputs, { urls: ['url'] })).toEqual({
      url: 'https://a.example/a%2Fb',
      body: { url: 'https://a.example/a/b' },
    });
  });
});
