import fc from 'fast-check';
import { z } from 'zod';
import {
  MAX_RENDERED_LENGTH,
  parseTemplate,
  renderHeader,
  renderHtml,
  renderText,
  type Template,
  type TemplateContact,
} from '../../src/contacts/templates/rules.ts';
import { templated } from '../../src/contacts/templates/schema.ts';
import { cpuTimeOf } from '../support/measure.ts';

const ADA: TemplateContact = {
  id: '0198',
  name: 'Ada',
  email: 'ada@example.com',
  phone_number: null,
  custom_data: { city: 'London', 'favourite drink (hot)': 'tea', 'a.b': 'dotted', seats: 3, vip: false, blank: ' \n' },
};

function parsed(text: string): Template {
  const result = parseTemplate(text);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.ok;
}

function problemsOf(text: string) {
  const result = parseTemplate(text);
  return 'problems' in result ? result.problems : [];
}

describe('a template shows', () => {
  it.each([
    ['a field', 'Hi {{contact.name}}!', 'Hi Ada!'],
    ['every field', '{{contact.id}} {{contact.name}} {{contact.email}}', '0198 Ada ada@example.com'],
    ['a field in white space', 'Hi {{ contact.name\n}}!', 'Hi Ada!'],
    ['a field instead of its fallback', '{{contact.name|friend}}', 'Ada'],
    ['a fallback for a missing field', '{{contact.phone_number|no number}}', 'no number'],
    ['a fallback without the white space around it', '{{ contact.phone_number |  no number }}', 'no number'],
    ['a fallback with a bar in it', '{{contact.phone_number|a|b}}', 'a|b'],
    ['nothing for a missing field', '[{{contact.phone_number}}]', '[]'],
    ['nothing for an empty fallback', '[{{contact.phone_number|}}]', '[]'],
    ['custom data', '{{contact.custom_data.city}}', 'London'],
    ['custom data of any key', '{{contact.custom_data.favourite drink (hot)|water}}', 'tea'],
    ['custom data of a key with a dot', '{{contact.custom_data.a.b}}', 'dotted'],
    ['a fallback for blank custom data', '{{contact.custom_data.blank|something}}', 'something'],
    ['a fallback for missing custom data', '{{contact.custom_data.country|somewhere}}', 'somewhere'],
    [
      'a fallback for inherited object properties',
      '{{contact.custom_data.constructor|x}}{{contact.custom_data.__proto__|y}}',
      'xy',
    ],
    ['a number', '{{contact.custom_data.seats}}', '3'],
    ['a boolean', '{{contact.custom_data.vip|x}}', 'false'],
    ['literal braces', 'write \\{{contact.name}} for {{contact.name}}', 'write {{contact.name}} for Ada'],
    ['a backslash before other characters unchanged', 'C:\\temp \\{ \\}}', 'C:\\temp \\{ \\}}'],
    ['closing braces without opening ones unchanged', '@media{a{b:c}} {"x":{"y":1}}', '@media{a{b:c}} {"x":{"y":1}}'],
    ['closing braces after a placeholder unchanged', '{"x":{"y":"{{contact.name}}"}}', '{"x":{"y":"Ada"}}'],
    ['a single brace after a placeholder unchanged', '{{contact.name}}}', 'Ada}'],
    ['nothing for an empty text', '', ''],
  ])('a template shows %s', (_, text, expected) => {
    expect(renderText(parsed(text), ADA)).toBe(expected);
  });

  it.each([[null], [undefined], [{ city: 'x' }], [['x']], [''], ['\u0000\t'], [' ']])(
    'a fallback if custom data is %j',
    (value) => {
      const contact = { ...ADA, custom_data: { x: value } };
      expect(renderText(parsed('{{contact.custom_data.x|fallback}}'), contact)).toBe('fallback');
    },
  );

  it('a template shows the values of each contact', () => {
    const template = parsed('{{contact.name|friend}}');
    const names = ['Ada', null, 'Bob'].map((name) => renderText(template, { ...ADA, name }));
    expect(names).toEqual(['Ada', 'friend', 'Bob']);
  });

  it('a template shows text without {{ unchanged', () => {
    const pieces = fc.array(fc.oneof(fc.string(), fc.constantFrom('}}', '}', '\\', '|', 'contact.name')));
    const plain = pieces.map((list) => list.join('')).filter((text) => !text.includes('{{'));
    fc.assert(
      fc.property(plain, (text) => {
        expect(renderText(parsed(text), ADA)).toBe(text);
        expect(renderHtml(parsed(text), ADA)).toBe(text);
      }),
    );
  });

  it('a template shows text with every {{ escaped unchanged', () => {
    const texts = fc.array(fc.constantFrom('{{', '{', '}}', 'a', ' ', '|')).map((list) => list.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        expect(renderText(parsed(text.replaceAll('{{', '\\{{')), ADA)).toBe(text);
      }),
    );
  });
});

describe('a value in HTML', () => {
  const template = '<a href="/?n={{contact.name|<you> & "me"}}">{{contact.name|<you>}}</a>';

  it('a value in HTML is escaped as text, while the template is markup', () => {
    expect(renderHtml(parsed(template), { ...ADA, name: '"><b>&\'' })).toBe(
      '<a href="/?n=&quot;&gt;&lt;b&gt;&amp;&#39;">&quot;&gt;&lt;b&gt;&amp;&#39;</a>',
    );
  });

  it('a value in HTML is escaped as text if it is the fallback', () => {
    expect(renderHtml(parsed(template), { ...ADA, name: null })).toBe(
      '<a href="/?n=&lt;you&gt; &amp; &quot;me&quot;">&lt;you&gt;</a>',
    );
  });

  it('a value in HTML never opens a tag, ends an attribute or becomes a placeholder', () => {
    const hostile = fc
      .array(fc.constantFrom('<', '>', '"', "'", '&', '{{contact.email}}', 'x', '\n'))
      .map((list) => list.join(''));
    fc.assert(
      fc.property(hostile, hostile, (name, city) => {
        const html = renderHtml(parsed('{{contact.name}}{{contact.custom_data.city}}'), {
          ...ADA,
          name,
          custom_data: { city },
        });
        expect(html).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
        expect(html).not.toContain('ada@');
      }),
    );
  });
});

describe('a value in a header', () => {
  it.each([
    ['Ada\r\nBcc: eve@example.com', 'Hi Ada Bcc: eve@example.com!'],
    ['\n Ada\t\u0007\u2028Lovelace\u0000', 'Hi Ada Lovelace!'],
    ['\r\n', 'Hi friend!'],
    ['Zoë 🦊', 'Hi Zoë 🦊!'],
  ])('a value in a header stays on one line: %j', (name, expected) => {
    expect(renderHeader(parsed('Hi {{contact.name|friend}}!'), { ...ADA, name })).toBe(expected);
  });

  it('a value in a header never contains a line break or control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(renderHeader(parsed('Hi {{contact.name}}'), { ...ADA, name })).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });
});

describe('a rendered text', () => {
  const five = { ...ADA, custom_data: { a: '<'.repeat(5_000) } };
  const repeated = (count: number) => parsed('{{contact.custom_data.a}}'.repeat(count));

  it('a rendered text has at most a million characters', () => {
    expect(renderText(repeated(200), five)?.length).toBe(MAX_RENDERED_LENGTH);
    expect(renderText(parsed(`${'{{contact.custom_data.a}}'.repeat(200)}.`), five)).toBeUndefined();
    expect(renderHtml(repeated(50), five)?.length).toBe(50 * 5_000 * '&lt;'.length);
    expect(renderHtml(repeated(51), five)).toBeUndefined();
    expect(renderHeader(repeated(201), five)).toBeUndefined();
    expect(renderHtml(parsed(`{{contact.name|${'"'.repeat(400_000)}}}`), { ...ADA, name: null })).toBeUndefined();
  });

  it('rendering stops at a million characters, however long the text would become', () => {
    const template = repeated(20_000); // 100 MB
    const [, cpuMs] = cpuTimeOf(() => Array.from({ length: 20 }, () => renderHtml(template, five)));
    expect(cpuMs).toBeLessThan(2_000);
  });
});

describe('a problem of a template', () => {
  it.each([
    [
      'an unknown field',
      'Hi {{contact.nam}}',
      /^unknown field "contact.nam"; use contact.id, contact.name, .*custom_data\.<key>/,
      3,
    ],
    ['a field of something else', '{{something.else|x}}', /^unknown field "something.else"/, 0],
    ['a field without contact', '{{name}}', /^unknown field "name"/, 0],
    ['a field of another case', '{{Contact.Name}}', /^unknown field "Contact.Name"/, 0],
    ['an inherited object property', '{{constructor}}', /^unknown field "constructor"/, 0],
    ['custom data without a key', '{{contact.custom_data.|x}}', /^unknown field "contact.custom_data."/, 0],
    ['another engine’s block', '{{#if x}}', /^unknown field "#if x"/, 0],
    ['nothing between the braces', 'a{{}}', /^\{\{ }} names no field/, 1],
    ['a fallback alone', '{{ |x}}', /^\{\{ }} names no field/, 0],
    ['an unclosed placeholder', 'Hi {{contact.name', /^\{\{ is not closed/, 3],
    ['a placeholder closed by one brace', '{{contact.name} a{b{c:d}}', /^\{\{ is not closed/, 0],
    ['a fallback with a brace', '{{contact.name|{you}}}', /^\{\{ is not closed/, 0],
    ['three braces', '{{{contact.name}}}', /^\{\{ is not closed/, 0],
    ['an escape inside a placeholder', '{{contact.name|\\{{}}', /^\{\{ is not closed/, 0],
  ])('a problem of a template is reported with its position: %s', (_, text, message, at) => {
    expect(problemsOf(text)).toEqual([{ message: expect.stringMatching(message), at }]);
  });

  it('a problem of a template is reported with all others, in order', () => {
    const text = '{{a}} {{contact.name {{b}} {{}} {{contact.name}} {{';
    expect(problemsOf(text).map(({ at, message }) => [at, message.slice(0, 17)])).toEqual([
      [0, 'unknown field "a"'],
      [6, '{{ is not closed '],
      [21, 'unknown field "b"'],
      [27, '{{ }} names no fi'],
      [49, '{{ is not closed '],
    ]);
  });

  it('a problem of a template is reported without quoting a whole page', () => {
    expect(problemsOf(`{{${'x'.repeat(500_000)}}}`)[0]?.message.length).toBeLessThan(400);
    expect(problemsOf(`{{${'x'.repeat(59)}\u{1f600}}}`)[0]?.message).toContain('xx\ufffd…');
  });

  it.each(['{{', '}}', '\\{{', '{{ ', '{{contact.name|', '{{}}', '{{x}}', '{{contact.name|y}}', '{', '\\', '|', '{{|'])(
    'a problem of a template is found in 500 KB of %j in time proportional to the length',
    (unit) => {
      const text = unit.repeat(Math.ceil(500_000 / unit.length));
      const [, cpuMs] = cpuTimeOf(() => parseTemplate(text));
      expect(cpuMs).toBeLessThan(10_000); // a quadratic parser takes minutes
    },
  );

  it('a problem of a template is an issue of the schema, and the schema keeps its type and its other rules', () => {
    const Message = z.object({ message: templated(z.string().min(1).max(40)) });
    expect(Message.parse({ message: 'Hi {{contact.name}}' })).toEqual({ message: 'Hi {{contact.name}}' });
    expect(Message.safeParse({ message: '' }).success).toBe(false);
    expect(Message.safeParse({ message: 'Hi {{contact.nam}} {{' }).error?.issues).toMatchObject([
      { path: ['message'], message: expect.stringMatching(/unknown field "contact.nam".*\(at character 4\)$/) },
      { path: ['message'], message: expect.stringMatching(/is not closed.*\(at character 20\)$/) },
    ]);
  });

  it('a problem of a template is reported only if it is among the first twenty of a text', () => {
    expect(templated(z.string()).safeParse('{{'.repeat(1_000)).error?.issues).toHaveLength(20);
  });
});
