import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns the start time and command of a process, to distinguish it from a later one with the same id. Undefined if it
 * has ended.
 */
export function identityOf(pid: number): string | undefined {
  const begun = statOf(pid)?.begun;
  return begun && `${begun} ${commandOf(pid) ?? ''}`;
}

/** Returns the command line of a process. Undefined if it has ended. */
export function commandOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return ps('args=', pid);
  return read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim();
}

/** Returns the id of the process's current parent. */
export function parentOf(pid: number): number | undefined {
  return statOf(pid)?.parent;
}

/** Asks a process to end, kills it after the grace time, and returns after its end. */
export async function endProcess(pid: number, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  send(pid, signal);
  while (identityOf(pid) !== undefined && performance.now() < deadline) await sleep(50);
  while (identityOf(pid) !== undefined && performance.now() < deadline + 5_000) {
    send(pid, 'SIGKILL');
    await sleep(50);
  }
}

function send(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended before the signal arrived.
  }
}

function statOf(pid: number): { parent: number; begun: string } | undefined {
  if (process.platform !== 'linux') {
    const [parent, ...begun] = ps('ppid=,lstart=', pid)?.split(/\s+/) ?? [];
    return parent === undefined ? undefined : { parent: Number(parent), begun: begun.join(' ') };
  }
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const [state, parent, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? undefined : { parent: Number(parent), begun: fields[17] ?? '' };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function ps(format: string, pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', format, '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
