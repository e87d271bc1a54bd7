import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countUnsteadyAgain } from '../../scripts/check/unsteady.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-unsteady-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A row of runs; for each, how many files failed it and what it said. */
async function checksOf(record: string, ...runs: string[][]) {
  const found: { failed: number; lines: string[] }[] = [];
  for (const paths of runs) {
    const lines: string[] = [];
    const failed = await countUnsteadyAgain(paths, { file: join(folder, record), say: (line) => lines.push(line) });
    found.push({ failed, lines });
  }
  return found;
}

it('a file that is unsteady twice in a row fails the check', async () => {
  const [first, second, third] = await checksOf('twice', ['a.test.ts', 'b.test.ts'], ['a.test.ts'], ['a.test.ts']);
  expect([first?.failed, second?.failed, third?.failed]).toEqual([0, 1, 1]);
  expect(second?.lines).toEqual([expect.stringMatching(/^UNSTEADY a\.test\.ts: .* this fails the check$/)]);
});

it('a file that was steady in between does not fail the check', async () => {
  const runs = await checksOf('between', ['a.test.ts'], [], ['a.test.ts']);
  expect(runs.map(({ failed }) => failed)).toEqual([0, 0, 0]);
});

it('the output says where no run before was recorded', async () => {
  const [first, second] = await checksOf('first', [], []);
  expect(first?.lines).toEqual([expect.stringMatching(/^UNSTEADY has no record/)]);
  expect(second?.lines).toEqual([]);
});
