import { incrementCount } from '../../../src/sequences/forecast/counts.rules.ts';

it('counts of reasons are by reason for the first hundred, and together for those that follow', () => {
  const counts: { reason: string; count: number }[] = [];
  for (let round = 0; round < 2; round++)
    for (let n = 0; n < 1_000; n++) incrementCount(counts, 'reason', `the contact replied at ${n}`);
  expect(counts).toHaveLength(101);
  expect(counts[99]).toEqual({ reason: 'the contact replied at 99', count: 2 });
  expect(counts[100]).toEqual({ reason: 'other reasons', count: 1_800 });
});
