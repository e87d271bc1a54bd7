import { readdirSync } from 'node:fs';
import type { Child } from '../../../src/dev/child.ts';
import { identityOf, parentOf } from '../../../src/dev/processes.ts';
import { until } from './until.ts';

/** A program to be ended in any way and restarted in place. */
export interface Program {
  pid(): number;
  isRunning(): boolean;
  start(): Promise<void>;
  /** Sends kill -9, to its children too. */
  kill(): Promise<void>;
  /** Sends SIGTERM. Resolves after its end to the reason and the duration. */
  terminate(): Promise<{ end: string; tookMs: number }>;
}

export async function restartable(launch: () => Promise<Child>): Promise<Program> {
  let child = await launch();
  return {
    pid: () => child.pid,
    isRunning: () => child.isRunning(),
    async start() {
      if (!child.isRunning()) child = await launch();
    },
    async kill() {
      if (!child.isRunning()) return;
      const family = childrenOf(child.pid);
      for (const pid of [child.pid, ...family]) sendKill(pid);
      await child.exited;
      await until('its children are gone', async () => family.every((pid) => identityOf(pid) === undefined));
    },
    async terminate() {
      const begin = performance.now();
      process.kill(child.pid, 'SIGTERM');
      const end = await child.exited;
      return { end, tookMs: performance.now() - begin };
    },
  };
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process ended before the signal arrived.
  }
}

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && parentOf(pid) === parent);
