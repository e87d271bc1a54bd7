import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { describeCutShort } from './cut-short.ts';
import { type Counts, logFolder } from './step.ts';
import { countUnsteadyAgain } from './unsteady.ts';

/** The most failed files to be run again alone. A busy machine does not explain more: they are a failure at once. */
const triedAgain = 8;
const countsFile = resolve(logFolder, 'tests.json');
const MAX_SEED = 2 ** 31;
/** The seed of all property tests, as a failed file is run again with the values that it failed with. */
const seed = process.env.FC_SEED ?? String(randomInt(MAX_SEED));

interface TestFile {
  name: string;
  status: string;
  /** Why the file could not be loaded. */
  message: string;
  assertionResults: { status: string; ancestorTitles: string[]; title: string; failureMessages: string[] }[];
}

interface Report {
  files: TestFile[];
  counts: Counts;
}

/** Returns the counts of the last `node scripts/check/tests.ts`. If it was ended before its report, says how far it came. */
export async function countTests(output: string): Promise<Counts> {
  const counts = await readFile(countsFile, 'utf8').catch(() => undefined);
  if (counts !== undefined) return JSON.parse(counts);
  const { stdout } = spawnSync('npm', testArgs(['--listTests'], '--silent'), { encoding: 'utf8' });
  const failures = describeCutShort(output, stdout.split('\n').filter(Boolean));
  return { passed: 0, failed: 1, failures };
}

const testArgs = (ofJest: string[], ...ofNpm: string[]) => ['test', ...ofNpm, '--', ...ofJest];

async function runJest(name: string, args: string[]): Promise<Report> {
  const file = resolve(logFolder, `${name}.json`);
  const env = { ...process.env, FC_SEED: seed };
  const report = ['--json', `--outputFile=${file}`];
  const { status } = spawnSync('npm', testArgs([...report, ...args]), { stdio: 'inherit', env });
  const { testResults }: { testResults: TestFile[] } = JSON.parse(await readFile(file, 'utf8'));
  const counts = countsOf(testResults);
  const isErrorOutsideOfTests = status !== 0 && counts.failed === 0;
  const outside = { ...counts, failed: 1, failures: ['an error outside of the tests: see the log'] };
  return { files: testResults, counts: isErrorOutsideOfTests ? outside : counts };
}

/** A file that could not be loaded counts as one failed test. */
function countsOf(files: TestFile[]): Counts {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const unloaded = files.filter((file) => hasFailed(file) && !file.assertionResults.some(hasFailed));
  const failures = [
    ...files.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(hasFailed)
        .map(
          ({ ancestorTitles, title, failureMessages }) =>
            `${relative('.', name)} > ${[...ancestorTitles, title].join(' > ')}: ${reasonOf(failureMessages.join())}`,
        ),
    ),
    ...unloaded.map(({ name, message }) => `${relative('.', name)}: ${firstLineOf(message)}`),
  ];
  return { passed: tests.filter(hasPassed).length, failed: failures.length, failures };
}

/** The first line of a failure repeats the name of the test. */
const reasonOf = (failure: string) => failure.split('\n')[1]?.trim() ?? '';

const firstLineOf = (text: string) => text.trimStart().split('\n', 1)[0] ?? '';

const hasFailed = ({ status }: { status: string }) => status === 'failed';
const hasPassed = ({ status }: { status: string }) => status === 'passed';

/**
 * Runs all tests, and runs failed files once more with nothing beside them. Files passing then are reported as
 * unsteady, and count as failed if the run before reported them too.
 */
async function runTests(): Promise<Counts> {
  const { files, counts } = await runJest('jest', []);
  const failed = files.filter(hasFailed);
  if (failed.length > triedAgain) return counts;
  if (failed.length === 0) {
    await countUnsteadyAgain([]);
    return counts;
  }
  const again = await runJest('jest-alone', ['--maxWorkers=1', ...failed.map(({ name }) => name)]);
  const unsteady = again.files.filter(hasPassed).map(({ name }) => name);
  const unsteadyAgain = await countUnsteadyAgain(unsteady);
  const passedBefore = countsOf(failed).passed;
  return {
    passed: counts.passed - passedBefore + again.counts.passed,
    failed: again.counts.failed + unsteadyAgain,
    failures: again.counts.failures,
  };
}

if (import.meta.main) {
  console.log(`Property tests draw their values by FC_SEED=${seed}`);
  const counts = await runTests();
  await writeFile(countsFile, JSON.stringify(counts));
  process.exitCode = counts.failed === 0 ? 0 : 1;
}
