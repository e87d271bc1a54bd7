import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';

/** One step of `npm run check`. It passes when its command exits with 0 and its output proves that it checked something. */
export interface Step {
  name: string;
  command: string[];
  /** Matches the output if the step found work to do. Without it, the exit code alone decides. */
  proof?: RegExp;
  /** What the output must not contain, though the command ends with 0. */
  complaint?: RegExp;
  env?: Record<string, string>;
  timeoutMinutes?: number;
  /** Reads the numbers of passed and failed tests, given the output. A step without it counts as one. */
  count?: (output: string) => Promise<Counts>;
  /** The reason for skipping the step on this machine. */
  skipped?: string;
}

export interface Counts {
  passed: number;
  failed: number;
  /** The failed tests that are known by name, a line each. */
  failures: string[];
}

export interface StepResult extends Counts {
  step: Step;
  output: string;
  seconds: number;
}

export const logFolder = resolve('.data/check');

/** Disables colors in the logs. npm prints warnings even if the check was called by `npm run --silent`. */
const logEnvironment = { NO_COLOR: '1', FORCE_COLOR: undefined, npm_config_loglevel: 'warn' };

export async function runStep(step: Step): Promise<StepResult> {
  const startedAt = Date.now();
  const logFile = resolve(logFolder, `${step.name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}.log`);
  const hasPassed = await runCommand(step, logFile);
  const output = await readFile(logFile, 'utf8');
  const seconds = (Date.now() - startedAt) / 1000;
  const isProven = (step.proof?.test(output) ?? true) && step.complaint?.test(output) !== true;
  return { step, output, seconds, ...(await countsOf(step, output, hasPassed && isProven)) };
}

async function countsOf(step: Step, output: string, hasPassed: boolean): Promise<Counts> {
  const nothing: Counts = { passed: 0, failed: 0, failures: [] };
  if (step.count === undefined) return hasPassed ? { ...nothing, passed: 1 } : { ...nothing, failed: 1 };
  const { passed, failed, failures } = await step.count(output).catch(() => nothing);
  const hasRunNothing = passed + failed === 0;
  const hasHiddenFailure = failed === 0 && !hasPassed;
  return { passed, failed: failed + (hasRunNothing || hasHiddenFailure ? 1 : 0), failures };
}

/**
 * Writes the output to a file and not a pipe, so that a process left behind by the command cannot block the check. The
 * command leads a group of processes, and its end by the time limit or by a signal is the end of the group.
 */
async function runCommand({ command, env, timeoutMinutes = 5 }: Step, logFile: string): Promise<boolean> {
  const [program = '', ...args] = command;
  await mkdir(logFolder, { recursive: true });
  await rm(logFile, { force: true });
  const log = await open(logFile, 'w');
  try {
    return await new Promise((done) => {
      const child = spawn(program, args, {
        stdio: ['ignore', log.fd, log.fd],
        env: { ...process.env, ...logEnvironment, PATH: pathWithOurPrograms(), ...env },
        detached: true,
      });
      const release = endWithGroup(child, timeoutMinutes * 60_000);
      child.once('error', (error) => {
        release();
        void log.write(`${error.message}\n`).then(() => done(false));
      });
      child.once('exit', (code, signal) => {
        release();
        const ending = signal === null ? '' : `\nEnded by ${signal}; the limit is ${timeoutMinutes} minutes.\n`;
        void log.write(ending).then(() => done(code === 0));
      });
    });
  } finally {
    await log.close();
  }
}

/** Ends the child's group after the time, or when this process is told to end. Returns the function that stops this. */
function endWithGroup({ pid }: ChildProcess, limitMs: number): () => void {
  const end = () => {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  };
  const timer = setTimeout(end, limitMs);
  const endAndExit = () => {
    end();
    process.exit(1);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, endAndExit);
  return () => {
    clearTimeout(timer);
    for (const signal of signals) process.off(signal, endAndExit);
  };
}

function pathWithOurPrograms(): string {
  return [resolve('node_modules/.bin'), process.env.PATH].join(delimiter);
}
