import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Guard } from './guard.ts';

export type ChildOptions = {
  /** Receives both output streams; the terminal stays readable. */
  logFile: string;
  guard: Guard;
  /** The signal for a graceful stop. */
  stopSignal?: NodeJS.Signals;
} & Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>;

export type Child = {
  pid: number;
  /** Settles when the process has ended, with the reason in words. */
  exited: Promise<string>;
  isRunning(): boolean;
  /** Asks the process to end, kills it after the grace time, and waits for its end. */
  stop(graceMs: number): Promise<void>;
};

/** Starts a program in a separate process group, so that a Ctrl-C reaches it only through us and in our order. */
export async function startChild(command: string, args: string[], options: ChildOptions): Promise<Child> {
  const { logFile, guard, stopSignal = 'SIGTERM', ...spawnOptions } = options;
  guard.assertOpen();
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, { ...spawnOptions, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const pid = child.pid;
  if (pid !== undefined) guard.add(pid, stopSignal);
  await once(child, 'spawn');
  if (pid === undefined) throw new Error(`${command} has no process id`);

  const exited = endOf(child).then((reason) => {
    guard.remove(pid);
    return reason;
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return { pid, exited, isRunning, stop: (graceMs) => stop(child, exited, stopSignal, graceMs) };
}

/** Waits until the probe succeeds. Fails when the process ends first or the time is up. */
export async function waitUntilReady(
  child: Child,
  logFile: string,
  probe: () => Promise<unknown>,
  limitMs: number,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    if (!child.isRunning()) throw new Error(`it ended while starting (${await child.exited}), see ${logFile}`);
    try {
      await probe();
      return;
    } catch (error) {
      if (performance.now() > deadline)
        throw new Error(`it did not answer within ${limitMs / 1000} s, see ${logFile}`, { cause: error });
      await sleep(50);
    }
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  const [code, signal] = await once(child, 'exit');
  return signal ? `killed by ${signal}` : `exit code ${code}`;
}

async function stop(child: ChildProcess, exited: Promise<string>, signal: NodeJS.Signals, graceMs: number) {
  child.kill(signal);
  const kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await exited;
  clearTimeout(kill);
}
