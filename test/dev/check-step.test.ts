import { runStep } from '../../scripts/check/step.ts';
import { eventually } from '../support/stack/stack.ts';

it('a step over its time limit ends together with the processes that it started', async () => {
  const command = ['bash', '-c', 'sleep 300 & echo "sleeper $!"; wait'];
  const { failed, output } = await runStep({ name: 'over its limit', command, timeoutMinutes: 0.05 });
  expect(failed).toBe(1);
  expect(output).toMatch(/Ended by SIGTERM; the limit is 0.05 minutes/);
  const sleeper = Number(/sleeper (\d+)/.exec(output)?.[1]);
  await eventually('the end of the sleeper', async () => !isRunning(sleeper));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
