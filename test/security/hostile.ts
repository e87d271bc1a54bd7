import type { Document, Schema } from './document.ts';

export const NUL_TEXT = 'a\0b';
const LONE_SURROGATE = 'a\ud800b';
const CONTROL_CHARACTERS = 'a\u0007\u001b[31mb';

/** Texts that must not break any answer. In a field for any text they are data. */
export const STRANGE_TEXTS = [
  "Robert'); drop table contacts; --",
  "' or '1'='1",
  '1; select pg_sleep(5) --',
  '%s %n {{7*7}} <%= 7*7 %> $1 :name ?',
  '<script>alert(1)</script>"\'`&amp;',
  '../../../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e308',
  '-0',
  '0x10',
  '\u202egnp.exe\u202c',
  'مرحبا بالعالم',
  'שלום',
  '👩‍👩‍👧‍👦 𝕏 𠜎',
  'e\u0301 ﬁ \u200b\ufeff\u00a0',
  'line\r\nBcc: evil@example.com\r\n\r\ntab\t',
  '\\',
  '"',
  ' ',
];

const nested = (depth: number) => Array.from({ length: depth }).reduce<unknown>((inner) => ({ a: inner }), 'x');

/** Values of every JSON type, including odd ones. */
const ANYWHERE: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  Number.MAX_SAFE_INTEGER,
  2 ** 31,
  '',
  '5',
  [],
  {},
  [[]],
  [null],
  ['text'],
  [{}],
  { '': '' },
  { type: 'text' },
  { length: 3 },
  { toString: 'x', valueOf: 'y' },
  { constructor: 'x', hasOwnProperty: 'y' },
  NUL_TEXT,
  LONE_SURROGATE,
  CONTROL_CHARACTERS,
  ['text', NUL_TEXT],
  { [NUL_TEXT]: 'x' },
  nested(70),
];
const IS_LONG = process.env.TEST_TIER === 'long';
/** The length in characters: more than any field accepts. */
const LONG_TEXT = IS_LONG ? 1_000_000 : 200_000;
/** The number of strange texts tried in a field for restricted texts or other types. */
const SOME_TEXTS = IS_LONG ? STRANGE_TEXTS.length : 1;

/** Yields the values to try at a place: values that are odd anywhere, and those at the edges of its schema. */
export function* hostileValues(document: Document, schema: Schema): Iterable<unknown> {
  const branches = branchesOf(document, schema);
  const takesAnyText = branches.some((branch) => STRANGE_TEXTS.every((text) => document.allows(branch, text)));
  yield* ANYWHERE;
  yield* takesAnyText ? STRANGE_TEXTS : STRANGE_TEXTS.slice(0, SOME_TEXTS);
  yield 'x'.repeat(LONG_TEXT);
  for (const branch of branches) yield* edgesOf(document, branch);
}

function* edgesOf(document: Document, schema: Schema): Iterable<unknown> {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minItems, maxItems } = schema;
  if (minLength !== undefined && minLength > 0) yield 'x'.repeat(minLength - 1);
  if (maxLength !== undefined) {
    yield 'x'.repeat(maxLength + 1);
    yield '👩'.repeat(maxLength + 1);
  }
  for (const edge of [minimum, exclusiveMinimum]) if (edge !== undefined) yield edge - 1;
  for (const edge of [maximum, exclusiveMaximum]) if (edge !== undefined) yield edge + 1;
  if (exclusiveMinimum !== undefined) yield exclusiveMinimum;
  if (schema.type === 'integer') yield (minimum ?? 1) + 0.5;
  if (schema.enum !== undefined || schema.const !== undefined) yield 'no-such-value';
  if (schema.items !== undefined) {
    const item = document.sample(schema.items);
    if (minItems !== undefined && minItems > 0) yield Array.from({ length: minItems - 1 }, () => item);
    if (maxItems !== undefined) yield Array.from({ length: maxItems + 1 }, () => item);
  }
  if (schema.maxProperties !== undefined) {
    yield Object.fromEntries(Array.from({ length: schema.maxProperties + 1 }, (_, index) => [`key${index}`, 'x']));
  }
  if (schema.propertyNames !== undefined) {
    yield { ['k'.repeat(1_000)]: 'x' };
    yield { '': 'x' };
  }
}

function branchesOf(document: Document, given: Schema): Schema[] {
  const schema = document.resolve(given);
  const branches = schema.oneOf ?? schema.anyOf;
  return branches === undefined ? [schema] : branches.flatMap((branch) => branchesOf(document, branch));
}

/** Texts of JSON that no JavaScript value would produce. */
export const ODD_JSON = {
  prototype: '{"__proto__":{"polluted":true}}',
  prototypeInside: '{"contact":{"__proto__":{"polluted":true}}}',
  constructor: '{"constructor":{"prototype":{"polluted":true}}}',
  deepArray: `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  deepObject: `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  hugeNumber: '{"contact":{"name":1e400}}',
  manyDigits: `{"contact":{"name":${'9'.repeat(5_000)}}}`,
  twice: '{"contact":{"name":"a"},"contact":{"name":"b"}}',
};
export const MALFORMED_JSON = [
  '{',
  '{"contact":',
  '{"contact":{"name":"x"}',
  "{'a':1}",
  '{"a":NaN}',
  '{"a":01}',
  '\ufeff{]',
  'null x',
  '{"a":"\t"}',
];
