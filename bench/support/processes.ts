import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Guard } from '../../src/dev/guard.ts';

/** A Node program started by a bench. */
export interface Program {
  pid: number;
  /** Sends a request to the program and returns its response. */
  ask<Answer>(what: string, input?: object): Promise<Answer>;
  /** The peak memory of the program. */
  peakMemoryMb(): number;
  /** The processor time used so far, in all threads. */
  cpuMs(): number;
  stop(): Promise<void>;
}

interface Question {
  number: number;
  what: string;
  input: object;
}

interface Answer {
  number: number;
  answer?: unknown;
  error?: string;
}

/** The handlers of a program for `ask`, by request name. */
// biome-ignore lint/suspicious/noExplicitAny: each question has its own input
export type Served = Record<string, (input: any) => Promise<unknown>>;

/** Starts a program. Its output goes to the log file. */
export async function startProgram(
  file: string,
  env: Record<string, string>,
  { logFile, guard, execArgv = [] }: { logFile: string; guard: Guard; execArgv?: string[] },
): Promise<Program> {
  guard.assertOpen();
  const log = openSync(logFile, 'a');
  const child = fork(fileURLToPath(file), [], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    execArgv,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  await once(child, 'spawn');
  const pid = child.pid as number;
  guard.add(pid, 'SIGTERM');
  const exited = once(child, 'exit').then(() => guard.remove(pid));
  return {
    pid,
    ask: askerOf(child, logFile),
    peakMemoryMb: () => peakMemoryMb(pid),
    cpuMs: () => cpuMs(pid),
    async stop() {
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), 12_000);
      await exited;
      clearTimeout(kill);
    },
  };
}

function askerOf(child: ChildProcess, logFile: string): Program['ask'] {
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let asked = 0;
  child.on('message', ({ number, answer, error }: Answer) => {
    const asker = waiting.get(number);
    waiting.delete(number);
    if (error === undefined) asker?.resolve(answer);
    else asker?.reject(new Error(error));
  });
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`a program ended with ${code}, see ${logFile}`));
  });
  return <T>(what: string, input: object = {}) =>
    new Promise<T>((resolve, reject) => {
      const number = ++asked;
      waiting.set(number, { resolve: resolve as (answer: unknown) => void, reject });
      child.send({ number, what, input } satisfies Question);
    });
}

/** Handles the requests of the bench running this program. Ends the program when the bench has ended. */
export function serve(served: Served): void {
  process.on('message', ({ number, what, input }: Question) => {
    const answer = served[what];
    if (answer === undefined) throw new Error(`this program does not serve ${what}`);
    answer(input).then(
      (result) => process.send?.({ number, answer: result } satisfies Answer),
      (error) => process.send?.({ number, error: String(error?.stack ?? error) } satisfies Answer),
    );
  });
  process.on('disconnect', () => process.exit());
}

function peakMemoryMb(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Sums utime and stime of proc_pid_stat(5), after the name in parentheses, in ticks of 10 ms. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(utime) + Number(stime)) * 10;
}
