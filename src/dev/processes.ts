import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What tells a process from a later one with the same number: when it began and its command. Undefined when it is gone. */
export function identityOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') return undefined;
    return `${fields[18]} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()}`;
  } catch {
    return process.platform === 'linux' ? undefined : identityByPs(pid);
  }
}

/** Asks a process to end, kills it after the grace time, and returns when it is gone. */
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
    // It ended before the signal came.
  }
}

function identityByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=,args=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
