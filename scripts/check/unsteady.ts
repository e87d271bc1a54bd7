import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';

/** Outside of the logs, which each check begins by removing. */
const recordFile = resolve('.data/unsteady.json');

/** What the run before found unsteady. Undefined where there is no record of it, as in a fresh clone. */
async function readRecord(file: string): Promise<string[] | undefined> {
  return JSON.parse(await readFile(file, 'utf8').catch(() => 'null')) ?? undefined;
}

/**
 * Names the files that failed beside other tests and passed alone, and records them for the next run. Returns how many
 * of them were unsteady in the run before too: those fail the check.
 */
export async function countUnsteadyAgain(
  paths: string[],
  { file = recordFile, say = console.log }: { file?: string; say?: (line: string) => void } = {},
): Promise<number> {
  const names = paths.map((path) => relative('.', path));
  const before = await readRecord(file);
  const again = new Set(names.filter((name) => before?.includes(name)));
  for (const name of names) {
    const verdict = again.has(name) ? ', as in the run before: this fails the check' : '';
    say(`UNSTEADY ${name}: failed beside other tests, passed alone${verdict}`);
  }
  if (before === undefined) say('UNSTEADY has no record of a run before: this run can find no file unsteady twice');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(names));
  return again.size;
}
