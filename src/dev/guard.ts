import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { endProcess, identityOf } from './processes.ts';

export type Guard = {
  /** Throws once the guard is sealed. */
  assertOpen(): void;
  add(pid: number, signal: NodeJS.Signals): void;
  remove(pid: number): void;
  /** Forbids starting children from now on. */
  seal(): void;
  /** Closes the guard, ending all remaining children. */
  close(): Promise<void>;
};

type Guarded = { pid: number; signal: NodeJS.Signals; identity: string };

const REAPER = fileURLToPath(new URL('reaper.ts', import.meta.url));

/**
 * Ensures that no child outlives this process. A separate process ends the children when our end of its pipe closes. A
 * file lists them for the next start, in case that process is killed too.
 */
export function startGuard(file: string): Guard {
  const reaper = spawn(process.execPath, [REAPER], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const reaped = once(reaper, 'exit');
  reaper.stdin.on('error', () => {});
  const guarded = new Map<number, Guarded>();

  let isSealed = false;

  const publish = () => {
    const all = JSON.stringify([...guarded.values()]);
    writeFileSync(file, all, { mode: 0o600 });
    reaper.stdin.write(`${all}\n`);
  };
  return {
    assertOpen() {
      if (isSealed) throw new Error('The stack is stopping');
    },
    add(pid, signal) {
      guarded.set(pid, { pid, signal, identity: identityOf(pid) ?? '' });
      publish();
    },
    remove(pid) {
      if (guarded.delete(pid)) publish();
    },
    seal() {
      isSealed = true;
    },
    async close() {
      reaper.stdin.end();
      await reaped;
      rmSync(file, { force: true });
    },
  };
}

/** Ends processes left by an earlier start that was killed. Returns their number. */
export async function endLeftovers(file: string): Promise<number> {
  const leftovers = readGuarded(file).filter(({ pid, identity }) => identity !== '' && identityOf(pid) === identity);
  await Promise.all(leftovers.map(({ pid, signal }) => endProcess(pid, signal, 10_000)));
  rmSync(file, { force: true });
  return leftovers.length;
}

function readGuarded(file: string): Guarded[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
}
