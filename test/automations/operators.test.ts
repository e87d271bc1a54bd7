import { type Json, OPERATORS, type Operator } from '../../src/automations/blocks/schema.ts';
import { evaluateOperator } from '../../src/automations/interpreter/operators.rules.ts';

/** Operands for which each operator holds, and operands for which it does not. */
const TABLE: Record<Operator, { holds: [left: Json, right?: Json][]; fails: [left: Json, right?: Json][] }> = {
  equals: {
    holds: [
      ['a', 'a'],
      [1, '1.0'],
      ['9007199254740993', '9007199254740993.0'],
      [true, 'true'],
      [null, null],
      [{ a: 1 }, { a: 1 }],
    ],
    fails: [
      ['a', 'A'],
      ['9007199254740993', '9007199254740992'],
      ['', null],
      [[1], '1'],
    ],
  },
  not_equals: {
    holds: [
      ['a', 'b'],
      [null, 0],
      [
        [1, 2],
        [2, 1],
      ],
    ],
    fails: [
      [1, '1'],
      [null, null],
      [{ a: [1] }, { a: [1] }],
    ],
  },
  contains: {
    holds: [
      ['abc', 'b'],
      [[1, 2], '2'],
      [[{ a: 1, b: 2 }], { b: 2, a: 1 }],
      [{ key: null }, 'key'],
      [123, 2],
    ],
    fails: [
      ['abc', 'd'],
      [['abc'], 'b'],
      [{ key: 'value' }, 'value'],
      [{}, 'constructor'],
      [null, 'a'],
    ],
  },
  not_contains: {
    holds: [
      ['abc', 'd'],
      [[1], 2],
      [null, 'a'],
    ],
    fails: [
      ['abc', 'a'],
      [['a'], 'a'],
      [{ key: 1 }, 'key'],
    ],
  },
  starts_with: {
    holds: [
      ['abc', 'ab'],
      [123, 12],
      ['abc', ''],
    ],
    fails: [
      ['abc', 'b'],
      [['abc'], 'a'],
      [null, ''],
      ['abc', null],
    ],
  },
  ends_with: {
    holds: [
      ['abc', 'bc'],
      [123, '23'],
    ],
    fails: [
      ['abc', 'b'],
      [{}, ']'],
      [null, 'l'],
    ],
  },
  greater_than: {
    holds: [
      [10, 9],
      ['10', '9'],
      ['b', 'a'],
      ['9007199254740993', '9007199254740992'],
    ],
    fails: [
      [9, 10],
      [1, 1],
      ['a', 'b'],
      [null, -1],
      [[2], [1]],
      ['b', 1],
    ],
  },
  greater_than_or_equal: {
    holds: [
      [1, 1],
      ['1.0', 1],
      [2, 1],
    ],
    fails: [
      [0, 1],
      [null, null],
      [[1], [1]],
    ],
  },
  less_than: {
    holds: [
      [9, 10],
      ['9', '10'],
      ['a', 'b'],
      [-1, '0'],
    ],
    fails: [
      [1, 1],
      ['b', 'a'],
      [null, 1],
      [{}, 'a'],
    ],
  },
  less_than_or_equal: {
    holds: [
      [1, '1'],
      [0, 1],
      ['a', 'a'],
    ],
    fails: [
      [2, 1],
      [null, null],
      [{}, {}],
    ],
  },
  in: {
    holds: [
      ['b', 'abc'],
      ['2', [1, 2]],
      ['key', { key: 1 }],
    ],
    fails: [
      ['d', 'abc'],
      ['abc', 'b'],
      ['a', null],
    ],
  },
  not_in: {
    holds: [
      ['d', 'abc'],
      [3, [1, 2]],
      ['a', null],
    ],
    fails: [
      ['a', 'abc'],
      [1, [1]],
      ['key', { key: 1 }],
    ],
  },
  is_empty: {
    holds: [[null], [''], [[]], [{}]],
    fails: [[0], [false], [' '], [[null]], [{ a: null }]],
  },
  is_not_empty: {
    holds: [[0], [false], [' '], [[null]]],
    fails: [[null], [''], [[]], [{}]],
  },
};

it.each(OPERATORS)('the operator %s holds for the operands of its row, and for no others of it', (operator) => {
  const { holds, fails } = TABLE[operator];
  const result = ([left, right = null]: [Json, Json?]) => evaluateOperator(operator, left, right);
  expect(holds.filter((operands) => !result(operands))).toEqual([]);
  expect(fails.filter(result)).toEqual([]);
});
