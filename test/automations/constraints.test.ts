import type { Json } from '../../src/automations/blocks/schema.ts';
import { problemOfConstraint, satisfiesConstraint } from '../../src/json-logic/json-logic.ts';
import { cpuTimeOf } from '../support/measure.ts';

const list = Array.from({ length: 5_000 }, (_, n) => n);
const nested: Json = { some: [{ var: 'list' }, { some: [{ var: '../../list' }, { '==': [{ var: '' }, -1] }] }] };

it('a constraint evaluates nested lists and long texts', () => {
  expect(satisfiesConstraint({ some: [{ var: 'list' }, { '==': [{ var: '' }, 4_999] }] }, { list })).toBe(true);
  expect(satisfiesConstraint(nested, { list: [1, -1] })).toBe(true);
  expect(satisfiesConstraint({ in: ['b', { var: 'text' }] }, { text: `${'a'.repeat(900_000)}b` })).toBe(true);
});

it('a constraint maps, reduces and merges lists', () => {
  const order = {
    items: [
      { price: 3, count: 2 },
      { price: 5, count: 1 },
    ],
    extra: [{ price: 4, count: 1 }],
  };
  const prices: Json = { map: [{ var: 'items' }, { '*': [{ var: 'price' }, { var: 'count' }] }] };
  const add: Json = { '+': [{ var: 'accumulator' }, { var: 'current' }] };
  const holds = (logic: Json) => satisfiesConstraint(logic, order);
  expect(holds({ '===': [{ reduce: [prices, add, 0] }, 11] })).toBe(true);
  expect(holds({ '>': [{ reduce: [prices, add, 0] }, 11] })).toBe(false);
  expect(holds({ in: [6, prices] })).toBe(true);
  expect(holds({ '===': [{ length: [{ merge: [{ var: 'items' }, { var: 'extra' }, 7] }] }, 4] })).toBe(true);
  expect(holds({ some: [{ merge: [{ var: 'items' }, { var: 'extra' }] }, { '===': [{ var: 'price' }, 4] }] })).toBe(
    true,
  );
  const highest: Json = { max: [{ var: 'current' }, { var: 'accumulator' }, { var: '../../extra.0.price' }] };
  expect(holds({ '===': [{ reduce: [{ map: [{ var: 'items' }, { var: 'price' }] }, highest, 0] }, 5] })).toBe(true);
  const reversed: Json = {
    reduce: [{ var: 'items' }, { merge: [{ var: 'current.price' }, { var: 'accumulator' }] }, []],
  };
  const both: Json = { reduce: [{ var: 'items' }, { merge: [{ var: 'accumulator' }, { var: 'current' }] }, []] };
  expect(holds({ all: [both, { '>': [{ var: 'price' }, 2] }] })).toBe(true);
  expect(holds({ '===': [{ cat: [reversed] }, '5,3'] })).toBe(true);
  expect(holds({ map: [{ var: 'nothing' }, 1] })).toBe(false);
  expect(holds({ '===': [{ reduce: [{ var: 'nothing' }, add, 7] }, 7] })).toBe(true);
});

const doubled = (operator: string): Json => ({
  length: [
    {
      reduce: [
        { var: 'list' },
        { [operator]: [{ var: 'accumulator' }, { var: 'accumulator' }] },
        operator === 'cat' ? 'xxxxxxxx' : [1],
      ],
    },
  ],
});
const literal: Json = Array.from({ length: 4_000 }, () => 1);
const thrice: Json = { merge: Array.from({ length: 40 }, () => ({ var: 'list' })) };

it.each([
  ['doubles a list for each item', doubled('merge')],
  ['doubles a text for each item', doubled('cat')],
  [
    'doubles a nested list for each item',
    { in: [1, { reduce: [{ var: 'list' }, [{ var: 'accumulator' }, { var: 'accumulator' }], [1]] }] },
  ],
  ['makes a list for each item of a merged one', { map: [thrice, literal] }],
  ['makes a list for each item of a mapped one', { all: [thrice, { map: [[1], literal] }] }],
  ['goes through a merged list for each of its items', { some: [thrice, { in: [-1, { merge: [thrice, thrice] }] }] }],
  ['goes through many operands for each item', { some: [thrice, { or: Array.from({ length: 4_000 }, () => 0) }] }],
  ['reduces a list for each item', { map: [thrice, { reduce: [{ var: '../../list' }, literal, 0] }] }],
] as [string, Json][])('a constraint fails at once if it %s', (_, logic) => {
  const [, cpuMs] = cpuTimeOf(() =>
    expect(() => satisfiesConstraint(logic, { list: list.slice(0, 200) })).toThrow(/too long/),
  );
  expect(cpuMs).toBeLessThan(2_000);
});

it('a constraint goes through lists at most two deep, also by map and reduce', () => {
  const inner: Json = { map: [{ var: '' }, { reduce: [{ var: '' }, { some: [{ var: '' }, true] }, 0] }] };
  expect(problemOfConstraint(inner)).toMatch(/at most 2 deep/);
  expect(problemOfConstraint({ map: [{ var: 'x' }, { reduce: [{ var: '' }, 1, 0] }] })).toBeUndefined();
});

it.each([
  ['a list for each of its items', nested],
  ['what is in a list for each of its items', { some: [{ var: 'list' }, { in: ['x', { var: '../../list' }] }] }],
  [
    'its own lists for each item',
    { some: [{ var: 'list' }, { some: [list.slice(0, 1_000), { '==': [{ var: '' }, -1] }] }] },
  ],
] as [string, Json][])('a constraint fails at once if its evaluation would take long: %s', (_, logic) => {
  const long = Array.from({ length: 300_000 }, (_, n) => n);
  const [, cpuMs] = cpuTimeOf(() => expect(() => satisfiesConstraint(logic, { list: long })).toThrow('too long'));
  expect(cpuMs).toBeLessThan(3_000);
});

it.each(['in', '==', '<', '+'])('a constraint pays %s for all that is in a nested list', (operator) => {
  const deep = [[[[Array(190_000).fill(1)]]]];
  const logic: Json = { cat: Array.from({ length: 600 }, () => ({ [operator]: [{ var: 'deep' }, 'x'] })) };
  const [, cpuMs] = cpuTimeOf(() => expect(() => satisfiesConstraint(logic, { deep })).toThrow('too long'));
  expect(cpuMs).toBeLessThan(2_000);
});
