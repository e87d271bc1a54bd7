import { expect, it } from 'vitest';
import { prepareItem } from '../../../src/knowledge/index/service.ts';
import { newItem } from './items.ts';

it('the words of a short text are prepared once, before it is written', async () => {
  const { chunks } = await prepareItem(newItem({ markdown: 'Boil the water.\n\n'.repeat(100) }));
  expect(chunks.length).toBeGreaterThan(1);
  for (const { takeApart } of chunks) expect(takeApart()).toBe(takeApart());
});

it.each([
  ['a long text', 'Boil the water.\n\n'.repeat(1_000)],
  ['a script without spaces', '先把水烧开。\n\n'.repeat(300)],
])('the words of %s are not kept, because they take many times its memory', async (_name, markdown) => {
  const { chunks } = await prepareItem(newItem({ markdown }));
  expect(chunks.length).toBeGreaterThan(1);
  for (const { takeApart } of chunks) {
    expect(takeApart()).toEqual(takeApart());
    expect(takeApart()).not.toBe(takeApart());
  }
});
