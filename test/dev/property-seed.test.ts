import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The values that a property is tried with, in a separate process. */
async function drawnWith(seed: string | undefined): Promise<number[]> {
  const program = `
    import fc from 'fast-check';
    const drawn = [];
    fc.assert(fc.property(fc.maxSafeInteger(), (value) => void drawn.push(value)), { numRuns: 20 });
    console.log(JSON.stringify(drawn));
  `;
  const args = ['--import', './test/support/jest/property-seed.ts', '--input-type=module', '--eval', program];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, FC_SEED: seed } });
  return JSON.parse(stdout);
}

it('a property is tried with the same values again where FC_SEED is the same, and only there', async () => {
  const [first, again, other, free, freeAgain] = await Promise.all(
    ['7', '7', '8', undefined, undefined].map(drawnWith),
  );
  expect(again).toEqual(first);
  expect(new Set([first, other, free, freeAgain].map((drawn) => JSON.stringify(drawn))).size).toBe(4);
});
