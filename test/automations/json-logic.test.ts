import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import reference from 'json-logic-js';
import type { Json } from '../../src/automations/blocks/schema.ts';
import { messageOf } from '../../src/errors.ts';
import { evaluate } from '../../src/json-logic/evaluation.rules.ts';
import { satisfiesConstraint } from '../../src/json-logic/json-logic.ts';

const event = { contact: { name: 'Ann' }, plan: 'pro', seats: 7, vip: true, note: '', items: [3, 5], fields: {} };

it.each([
  ['an object is not null', { '!=': [{ var: 'contact' }, null] }, true],
  ['a list is not null', { '==': [{ var: 'items' }, null] }, false],
  ['a number is not a text', { '!=': [{ var: 'seats' }, 'pro'] }, true],
  ['true is not the text true', { '==': [{ var: 'vip' }, 'true'] }, false],
  ['an absent value is not 0', { '==': [{ var: 'body.discount' }, 0] }, false],
  ['false is not null', { '==': [false, null] }, false],
  ['an absent value equals null', { '==': [{ var: 'body.discount' }, null] }, true],
  ['a text without order is not greater', { or: [{ '>': ['abc', 18] }, true] }, true],
  ['texts that are numbers have a maximum', { '===': [{ max: ['10', 9] }, 10] }, true],
  ['an empty text is missing', { '===': [{ cat: [{ missing: ['note', 'plan'] }] }, 'note'] }, true],
  ['a logged value is passed on', { log: { '===': [{ log: { var: 'plan' } }, 'pro'] } }, true],
  ['an object without fields counts as true', { '!!': [{ var: 'fields' }] }, true],
] as [string, Json, boolean][])('in a constraint, %s', (_, logic, holds) => {
  expect(satisfiesConstraint(logic, event)).toBe(holds);
});

describe('a constraint answers as the reference implementation', () => {
  const values = {
    ...{ null: null, true: true, false: false, zero: 0, one: 1, minus: -1, part: 2.5, large: 1e21 },
    ...{ empty: '', space: ' ', digit: '0', number: '10', padded: ' 7 ', negative: '-1', word: 'abc', truth: 'true' },
    ...{ none: [], single: [1], texts: ['abc', 'b'], mixed: [1, '10', null, [2]], nulls: [null] },
    ...{ fields: {}, object: { word: 'abc', length: 2 }, dotted: { 'a.b': 1 } },
  };
  const operands: Json[] = [...Object.keys(values), 'absent'].map((name) => ({ var: name }));

  it.each([...'! !! == === != !== > >= < <= + - * / % in cat substr merge'.split(' '), 'min', 'max'])(
    'with %s of one, two and three values',
    (operator) => {
      for (const a of operands) {
        compare({ [operator]: a }, values);
        for (const b of operands) compare({ [operator]: [a, b] }, values);
        for (const b of operands) compare({ [operator]: [a, b, { var: 'one' }] }, values);
        for (const b of operands) compare({ [operator]: [{ var: 'minus' }, a, b] }, values);
      }
    },
  );

  it.each([
    'var',
    'missing',
    'missing_some',
    'if',
    '?:',
    'and',
    'or',
    'some',
    'all',
    'none',
    'filter',
    'map',
    'reduce',
  ])('with %s of values, and without any', (operator) => {
    const tests: Json[] = [true, { var: '' }, { '>': [{ var: '' }, 0] }, { '+': [{ var: 'current' }, 1] }];
    compare({ [operator]: [] }, values);
    for (const a of operands) {
      compare({ [operator]: a }, values);
      for (const b of [...operands, ...tests]) compare({ [operator]: [a, b] }, values);
      for (const b of [...operands, ...tests]) compare({ [operator]: [a, b, 'abc'] }, values);
      for (const b of operands) compare({ [operator]: [{ var: 'mixed' }, a, b] }, values);
    }
  });

  it('with operators in operators', () => {
    const { logic } = fc.letrec<{ logic: Json; operation: Json }>((tie) => ({
      logic: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        fc.constantFrom<Json>(null, true, false, 0, 1, -2, 2.5, '', '0', '10', 'abc', 'a', 'b.c'),
        fc
          .constantFrom('', 'a', 'b', 'b.c', 'list', 'list.0', 'list.length', 'current', 'accumulator', 'nothing')
          .map((name) => ({ var: name })),
        tie('operation'),
        fc.array(tie('logic'), { maxLength: 3 }),
      ),
      operation: fc
        .tuple(fc.constantFrom(...COMPARED), fc.oneof(fc.array(tie('logic'), { maxLength: 4 }), tie('logic')))
        .map(([operator, given]) => ({ [operator]: given })),
    }));
    const leaf = fc.oneof(fc.constantFrom(null, true, 0, 3, -1.5, '', '7', 'abc'), fc.string({ maxLength: 3 }));
    const data = fc.record(
      { a: leaf, b: fc.record({ c: leaf, d: leaf }), list: fc.array(leaf, { maxLength: 4 }) },
      { requiredKeys: [] },
    );
    fc.assert(fc.property(logic, data, compare), { numRuns: 5_000 });
  });
});

it('a constraint reads no fields but those of the event', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'text.constructor.name', 'list.map'])
    expect(evaluateIn({ var: name }, { text: 'a', list: [] })).toBeNull();
  expect(evaluateIn({ missing: ['hasOwnProperty', 'text'] }, { text: 'a' })).toEqual(['hasOwnProperty']);
});

it('a constraint never takes data for logic', () => {
  const names = [{ cat: ['te', 'xt'] }];
  expect(evaluateIn({ missing: { var: 'names' } }, { names, text: 'a' })).toEqual(names);
  expect(evaluateIn({ var: 'names.0' }, { names })).toEqual({ cat: ['te', 'xt'] });
});

it('a constraint reads the data around a loop', () => {
  const loop: Json = { filter: [{ var: 'list' }, { '==': [{ var: 'id' }, { var: '../../wanted.id' }] }] };
  expect(evaluateIn(loop, { list: [{ id: 1 }, { id: 2 }], wanted: { id: 2 } })).toEqual([{ id: 2 }]);
  expect(evaluateIn({ var: '../../wanted' }, { wanted: 1 })).toBeNull();
});

it.each([
  ['without a length', { length: { var: 'nothing' } }, /^length needs a text, a list or an object$/],
  ['without a factor', { '*': [] }, /^\* needs a number$/],
  ['without names', { missing_some: [1, null] }, /^missing_some needs a list of names$/],
  ['that is no text', { cat: [{ var: 'odd' }] }, /^A value cannot be converted for an operator: /],
  ['with an unknown operator', { shout: 1 }, /^The constraint is not valid: the operator shout is not known$/],
] as [string, Json, RegExp][])('a constraint that has a value %s says so in a sentence', (_, logic, reason) => {
  expect(() => satisfiesConstraint(logic, { odd: { toString: 1, valueOf: 2 } })).toThrow(reason);
});

/** `log` is left out, as the reference writes to the console. `length` is an addition of ours. */
const COMPARED =
  'var missing missing_some if ?: and or ! !! == === != !== > >= < <= + - * / % min max in cat substr some all none filter map reduce merge'.split(
    ' ',
  );

const evaluateIn = (logic: Json, data: unknown): unknown =>
  evaluate(logic, { data, outer: undefined, evaluation: { allowance: 300_000, hasNaN: false } });

/** The reference takes names in data for logic, and refuses most. */
function compare(logic: Json, data: unknown): void {
  const expected = resultOf(() => reference.apply(logic as never, data));
  if (expected.fails?.includes('Unrecognized operation')) return;
  const actual = resultOf(() => evaluateIn(logic, data));
  const isEqual = 'fails' in expected ? 'fails' in actual : isDeepStrictEqual(actual, expected);
  if (!isEqual) expect({ logic, data, ...actual }).toStrictEqual({ logic, data, ...expected });
}

function resultOf(work: () => unknown): { value?: unknown; fails?: string } {
  try {
    return { value: work() };
  } catch (error) {
    return { fails: messageOf(error) };
  }
}
