import fc from 'fast-check';
import { storable, storableJson, truncated } from '../../src/providers/storable.rules.ts';

/** Characters that Postgres rejects, those that they become, and what numbers of keys are made of. */
const oddText = fc
  .array(fc.constantFrom('a', 'ä', '\0', '\ud83d', '\ude00', '\ufffd', ' ', '(', '2', '3', ')', '__proto__'), {
    maxLength: 4,
  })
  .map((parts) => parts.join(''));
const oddJson = fc.letrec((value) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    oddText,
    fc.integer(),
    fc.constant(null),
    fc.array(value('any'), { maxLength: 3 }),
    fc.array(fc.tuple(oddText, value('any')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
})).any;

const parse = (text: string): unknown => storableJson(JSON.parse(text));
const leavesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
const keysOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysOf)]
    : [];
const cleaned = (value: unknown) => (typeof value === 'string' ? storable(value) : value);

describe('parsed JSON as it is stored', () => {
  it('has no text and no key that Postgres rejects, and all values', () => {
    fc.assert(
      fc.property(oddJson, (value) => {
        const read = parse(JSON.stringify(value));
        const texts = [...keysOf(read), ...leavesOf(read)].filter((part) => typeof part === 'string');
        for (const text of texts) expect(storable(text)).toBe(text);
        const sorted = (whole: unknown) =>
          leavesOf(whole)
            .map((leaf) => JSON.stringify(cleaned(leaf)))
            .sort();
        expect(sorted(read)).toEqual(sorted(value));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps keys that can be stored as they are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(oddText), (keys) => {
        const given = Object.fromEntries(keys.map((key) => [key, key]));
        const read = Object.entries(parse(JSON.stringify(given)) as object);
        expect(read).toHaveLength(keys.length);
        for (const [key, value] of read) expect(key.startsWith(value)).toBe(true);
        for (const key of keys) if (storable(key) === key) expect(read).toContainEqual([key, key]);
      }),
    );
  });

  it.each([
    ['{"a\\u0000b":1}', { ab: 1 }],
    ['{"\\ud800":{"\\u0000":[{"x\\u0000":"\\u0000"}]}}', { '\ufffd': { '': [{ x: '' }] } }],
    ['{"a\\u0000":1,"a":2,"\\u0000a":3,"a (2)":4}', { 'a (3)': 1, a: 2, 'a (4)': 3, 'a (2)': 4 }],
  ])('of %s is %j', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it('has many keys that become equal in a moment', () => {
    const keys = Array.from({ length: 60_000 }, (_, n) =>
      String.fromCharCode(0xd800 + (n % 1_024), 0xd800 + Math.floor(n / 1_024)),
    );
    const read = parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1])))) as object;
    expect(Object.keys(read)).toHaveLength(keys.length);
  });
});

it('a truncated text ends with a whole character', () => {
  expect(['a😀b', 'a😀', 'ab'].map((text) => truncated(text, 2))).toEqual(['a', 'a', 'ab']);
  expect(truncated('a😀b', 3)).toBe('a😀');
});
