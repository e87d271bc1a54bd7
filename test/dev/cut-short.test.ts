import { describeCutShort } from '../../scripts/check/cut-short.ts';

const OUTPUT = `
PASS test/a.test.ts (12.5 s)
PASS test/b.test.ts
FAIL test/c.test.ts (30 s)
  ● c › does it
`;

describe('a run of tests that is ended before its report', () => {
  it('names the failed files, those that did not end and the longest', () => {
    const paths = ['a', 'b', 'c', 'd'].map((name) => `${process.cwd()}/test/${name}.test.ts`);

    expect(describeCutShort(OUTPUT, paths)).toEqual([
      'cut short after 3 of 4 files',
      'failed: test/c.test.ts',
      'not ended: test/d.test.ts',
      'longest: test/c.test.ts 30 s, test/a.test.ts 12.5 s, test/b.test.ts 0 s',
    ]);
  });

  it('names at most twelve of a kind', () => {
    const paths = Array.from({ length: 14 }, (_, nth) => `${process.cwd()}/test/${nth}.test.ts`);

    const [, missing] = describeCutShort('', paths);

    expect(missing).toMatch(/^not ended: test\/0\.test\.ts, .*test\/11\.test\.ts, and 2 more$/);
  });
});
