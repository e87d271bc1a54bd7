import { expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { prepareItem } from '../../src/knowledge/index/indexing.service.ts';

const prepare = (markdown: string) =>
  prepareItem({
    id: newId(),
    sourceType: 'website',
    source: 'website',
    title: 'Teapots',
    markdown,
    url: null,
    visibility: 'public',
    language: 'en',
    channels: [],
    segments: [],
    isDraft: false,
  });

it('a short text is taken apart once, before it is written', async () => {
  const { chunks } = await prepare('Boil the water.\n\n'.repeat(100));
  expect(chunks.length).toBeGreaterThan(1);
  for (const { takeApart } of chunks) expect(takeApart()).toBe(takeApart());
});

it.each([
  ['a long text', 'Boil the water.\n\n'.repeat(1_000)],
  ['a script without spaces', '先把水烧开。\n\n'.repeat(300)],
])('of %s, no words are held: they take many times its room', async (_name, markdown) => {
  const { chunks } = await prepare(markdown);
  expect(chunks.length).toBeGreaterThan(1);
  for (const { takeApart } of chunks) {
    expect(takeApart()).toEqual(takeApart());
    expect(takeApart()).not.toBe(takeApart());
  }
});
