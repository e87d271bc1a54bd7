import { expect, it } from 'vitest';
import { satisfiesConstraint } from '../../src/automations/blocks/constraints.ts';
import type { Json } from '../../src/automations/blocks/schema.ts';
import { cpuTimeOf } from '../support/measure.ts';

const list = Array.from({ length: 5_000 }, (_, n) => n);
const nested: Json = { some: [{ var: 'list' }, { some: [{ var: '../../list' }, { '==': [{ var: '' }, -1] }] }] };

it('a constraint evaluates nested lists and long texts', () => {
  expect(satisfiesConstraint({ some: [{ var: 'list' }, { '==': [{ var: '' }, 4_999] }] }, { list })).toBe(true);
  expect(satisfiesConstraint(nested, { list: [1, -1] })).toBe(true);
  expect(satisfiesConstraint({ in: ['b', { var: 'text' }] }, { text: `${'a'.repeat(900_000)}b` })).toBe(true);
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
  const logic: Json = { or: Array.from({ length: 600 }, () => ({ [operator]: [{ var: 'deep' }, 'x'] })) };
  const [, cpuMs] = cpuTimeOf(() => expect(() => satisfiesConstraint(logic, { deep })).toThrow('too long'));
  expect(cpuMs).toBeLessThan(2_000);
});
