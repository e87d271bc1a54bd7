import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Counts, logFolder } from './step.ts';
import { countUnsteadyAgain } from './unsteady.ts';

/** The most failed files to be run again alone. A busy machine does not explain more: they are a failure at once. */
const triedAgain = 3;
const countsFile = resolve(logFolder, 'tests.json');

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: { name: string; status: string; assertionResults: { status: string }[] }[];
}

/** Returns the counts of the last `node scripts/check/tests.ts`. */
export async function countTests(): Promise<Counts> {
  return JSON.parse(await readFile(countsFile, 'utf8'));
}

async function runJest(name: string, args: string[]): Promise<Report> {
  const file = resolve(logFolder, `${name}.json`);
  spawnSync('npm', ['test', '--', '--json', `--outputFile=${file}`, ...args], { stdio: 'inherit' });
  return JSON.parse(await readFile(file, 'utf8'));
}

const countsOf = (report: Report): Counts => {
  return { passed: report.numPassedTests, failed: report.numFailedTests + report.numRuntimeErrorTestSuites };
};

/**
 * Runs all tests, and runs failed files once more with nothing beside them. Files passing then are reported as
 * unsteady, and count as failed if the run before reported them too.
 */
async function runTests(): Promise<Counts> {
  const report = await runJest('jest', []);
  const [failed, counts] = [report.testResults.filter(({ status }) => status === 'failed'), countsOf(report)];
  if (failed.length > triedAgain) return counts;
  if (failed.length === 0) {
    await countUnsteadyAgain([]);
    return counts;
  }
  const paths = failed.map(({ name }) => name);
  const again = await runJest('jest-alone', ['--runInBand', '--runTestsByPath', ...paths]);
  const unsteady = again.testResults.filter(({ status }) => status === 'passed').map(({ name }) => name);
  const unsteadyAgain = await countUnsteadyAgain(unsteady);
  const passedBefore = failed.flatMap(({ assertionResults }) => assertionResults).filter(isPassed).length;
  const alone = countsOf(again);
  return { passed: counts.passed - passedBefore + alone.passed, failed: alone.failed + unsteadyAgain };
}

const isPassed = ({ status }: { status: string }) => status === 'passed';

if (import.meta.main) {
  const counts = await runTests();
  await writeFile(countsFile, JSON.stringify(counts));
  process.exitCode = counts.failed === 0 ? 0 : 1;
}
