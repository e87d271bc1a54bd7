import fc from 'fast-check';
import { issuesOf } from '../../../src/actions/calls/parameter-schemas.ts';

const isTaken = (schema: object, value: unknown) =>
  issuesOf(schema as Record<string, unknown>, value, 'x').length === 0;

it.each<[object, unknown[], unknown[]]>([
  [{ type: 'integer', minimum: 1 }, [1, 2], [0, 1.5, '1', null]],
  [{ type: 'integer', minimum: 1, exclusiveMinimum: true }, [2], [1]],
  [{ type: 'number', maximum: 1, exclusiveMaximum: false }, [1, 0.5], [1.1]],
  [{ exclusiveMinimum: 1 }, [2], [1]],
  [{ type: 'string', nullable: true }, ['a', null], [1]],
  [{ type: ['string', 'null'] }, ['a', null], [1]],
  [{ type: 'string', enum: ['a', 'b'], nullable: true }, ['a', null], ['c']],
  [{ type: 'string', format: 'email' }, ['ada@example.com'], ['ada']],
  [{ type: 'string', format: 'uuid' }, [crypto.randomUUID()], ['x']],
  [{ type: 'string', format: 'date-time' }, ['2026-01-31T12:00:00Z'], ['soon']],
  [{ type: 'string', format: 'of-our-own' }, ['anything'], [1]],
  [{ type: 'string', pattern: '^a$' }, ['a', 'b'], [1]],
  [{ type: 'array', items: { type: 'string' }, uniqueItems: true }, [[], ['a', 'b']], [['a', 'a'], [1]]],
  [{ properties: { a: { type: 'string' } }, additionalProperties: false }, [{}, { a: '' }], [{ b: 1 }, { a: 1 }]],
  [{ patternProperties: { '^x-': {} }, additionalProperties: false }, [{ 'x-a': 1 }], []],
  [
    { properties: { pattern: { type: 'string' }, $id: { type: 'string' } } },
    [{ pattern: 'a' }],
    [{ pattern: 1 }, { $id: 1 }],
  ],
  [{ required: ['toString', '__proto__'] }, [JSON.parse('{"toString":1,"__proto__":2}')], [{}]],
  [{ properties: { constructor: { type: 'string' } } }, [{}], [{ constructor: 1 }]],
  [{ oneOf: [{ type: 'string' }, { const: 5 }] }, ['a', 5], [6]],
  [{ not: { type: 'string' } }, [1], ['a']],
  [JSON.parse('{"if":{"type":"string"},"then":{"minLength":2}}'), [1, 'ab'], ['a']],
  [{ type: 'string', default: { $ref: '#' }, examples: [{ nullable: true }] }, ['a'], [1]],
])('values are accepted or refused according to the JSON schema %j', (schema, taken, refused) => {
  expect(taken.filter((value) => !isTaken(schema, value))).toEqual([]);
  expect(refused.filter((value) => isTaken(schema, value))).toEqual([]);
});

it('a schema violation is reported with the path of the wrong value', () => {
  const schema = { properties: { 'a/b': { items: { type: 'string' } } } };
  expect(issuesOf(schema, { 'a/b': ['x', 1] }, 'body_params')).toEqual([
    { path: 'body_params.a/b.1', message: 'Instance type "number" is invalid. Expected "string".' },
  ]);
});

it('values are refused as too large if their schema check would take long', () => {
  const values = Array.from({ length: 2_000 }, (_, n) => n);
  for (const schema of [
    { uniqueItems: true },
    { items: { enum: values } },
    { items: { allOf: values.map(() => ({})) } },
  ])
    expect(issuesOf(schema, values, 'x')).toEqual([{ path: 'x', message: expect.stringContaining('too large') }]);
});

it('the schema check never throws, whatever the schema contains', () => {
  const keyword = fc.constantFrom(
    ...'type enum const properties patternProperties additionalProperties items prefixItems allOf anyOf oneOf not if then required minimum maxLength pattern format $ref $id uniqueItems dependentSchemas contains unevaluatedItems nullable'.split(
      ' ',
    ),
  );
  const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
    schema: fc.dictionary(
      keyword,
      fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 2 }),
        tie('schema'),
        fc.array(tie('schema'), { maxLength: 3 }),
      ),
      {
        maxKeys: 4,
      },
    ),
  }));
  fc.assert(
    fc.property(schema, fc.jsonValue(), (one, value) => {
      expect(Array.isArray(issuesOf(one, value, 'x'))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it('a schema without constraints accepts any value', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => isTaken({}, value) && isTaken({ description: 'Any' }, value)));
});
