import { rm } from 'node:fs/promises';
import { forEachConcurrently } from '../src/concurrency/limited.ts';
import { logFolder, runStep, type Step, type StepResult } from './check/step.ts';
import { generatingSteps, runningSteps, staticSteps } from './check/steps.ts';

/** Runs the steps in order, at most `width` at once, and reports each as it ends. */
async function runAll(steps: Step[], width: number): Promise<StepResult[]> {
  const waiting = steps.filter(({ skipped }) => skipped === undefined);
  const results: StepResult[] = [];
  await forEachConcurrently(waiting, width, async (step) => {
    const result = await runStep(step);
    results.push(result);
    report(result);
  });
  return results;
}

function report({ step, passed, failed, seconds, output }: StepResult): void {
  const counts = step.count === undefined ? '' : ` (${passed} passed, ${failed} failed)`;
  if (failed > 0) console.log(`\n${output.trimEnd()}\n`);
  for (const [line] of output.matchAll(/^UNSTEADY .*$/gm)) console.log(line);
  console.log(`${failed > 0 ? 'FAILED' : 'ok    '} ${step.name}${counts} ${seconds.toFixed(1)} s`);
}

await rm(logFolder, { recursive: true, force: true });
for (const { name, skipped } of [...staticSteps, ...runningSteps]) {
  if (skipped !== undefined) console.log(`SKIPPED ${name}: ${skipped}`);
}

// Tests have times to keep: nothing runs beside them.
const results = [
  ...(await runAll(generatingSteps, 1)),
  ...(await runAll(staticSteps, 2)),
  ...(await runAll(runningSteps, 1)),
];
for (const { step, failures } of results) {
  for (const failure of failures) console.log(`FAILED ${step.name}: ${failure}`);
}
const passed = results.reduce((sum, result) => sum + result.passed, 0);
const failed = results.reduce((sum, result) => sum + result.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
