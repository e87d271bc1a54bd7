import { readdirSync } from 'node:fs';
import type { Child } from '../../../src/dev/child.ts';
import { identityOf, parentOf } from '../../../src/dev/processes.ts';
import { until } from './until.ts';

/** A program that can be ended in any way and started again where it was. */
export interface Program {
  pid(): number;
  isRunning(): boolean;
  start(): Promise<void>;
  /** kill -9, of its own children as well. */
  kill(): Promise<void>;
  /** SIGTERM; resolves when it is gone, to how it ended and how long that took. */
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
    // It ended before the signal came.
  }
}

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && parentOf(pid) === parent);
