import { batchByKey } from '../../src/concurrency/batch-by-key.ts';

const gate = () => Promise.withResolvers<void>();

it('batches run at most the allowed number at once per org, and the next batch includes all waiting items', async () => {
  const groups: [string, number[]][] = [];
  const open = gate();
  const run = batchByKey({ maxConcurrent: 2, maxBatchSize: 3, maxWaiting: 5 }, async (orgId, items: number[]) => {
    groups.push([orgId, items]);
    await open.promise;
    return items.map((item) => item * 10);
  });
  const results = [1, 2, 3, 4, 5, 6, 7].map((item) => run('a', item));
  await expect(run('a', 8)).rejects.toMatchObject({ kind: 'unavailable' });
  const other = run('b', 9);
  expect(groups).toEqual([
    ['a', [1]],
    ['a', [2]],
    ['b', [9]],
  ]);
  open.resolve();
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50, 60, 70]);
  expect(await other).toBe(90);
  expect(groups.slice(3)).toEqual([
    ['a', [3, 4, 5]],
    ['a', [6, 7]],
  ]);
});

it('a failed batch fails only its own items, and the next batch runs', async () => {
  const run = batchByKey({ maxConcurrent: 1, maxBatchSize: 1, maxWaiting: 5 }, async (_orgId, [item = 0]: number[]) => {
    if (item === 1) throw new Error('no');
    return [item];
  });
  expect(await Promise.allSettled([run('a', 1), run('a', 2)])).toMatchObject([
    { status: 'rejected' },
    { status: 'fulfilled', value: 2 },
  ]);
  expect(await run('a', 3)).toBe(3);
});
