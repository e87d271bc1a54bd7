import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

interface Result {
  ancestorTitles: string[];
  title: string;
  status: string;
  failureMessages: string[];
}

function runFixture() {
  const config = {
    rootDir: resolve('.'),
    roots: [import.meta.dirname],
    testMatch: ['**/limits.fixture.ts'],
    moduleFileExtensions: ['ts', 'js', 'json'],
    transform: {},
    runner: 'jest-light-runner/child-process',
    setupFilesAfterEnv: [resolve('test/support/jest/setup.ts')],
  };
  const args = ['node_modules/jest/bin/jest.js', '--maxWorkers=2', '--json', '--config', JSON.stringify(config)];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

it('a test that hangs fails by its name, tests without their set-up fail, and errors are compared whole', () => {
  const { status, stdout, stderr } = runFixture();
  expect(status).toBe(1);
  expect(stdout + stderr).not.toContain('it was run');
  const results: Result[] = JSON.parse(stdout).testResults.flatMap(
    ({ assertionResults }: { assertionResults: Result[] }) => assertionResults,
  );
  const outcomes = results.map(({ title, status: outcome, failureMessages }) => [
    title,
    outcome,
    ...failureMessages.map((message) => /Error: (.*)/.exec(message)?.[1]),
  ]);
  expect(outcomes).toEqual([
    ['hangs', 'failed', 'hangs takes longer than 50 ms'],
    ['is the next one', 'passed'],
    ['(beforeAll)', 'failed', 'no database'],
    ['is not run', 'failed', 'The beforeAll of a block that cannot be prepared failed'],
    ['is not run either', 'failed', 'The beforeAll of a block that cannot be prepared failed'],
    ['are equal', 'passed'],
    ['differ by code', 'passed'],
    ['differ by message', 'passed'],
    ['differ by class', 'passed'],
    ['differ by cause', 'passed'],
  ]);
});
