import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of proc_pid_stat(5) are 10 ms. */
const TICK_MS = 10;

interface ProcessStat {
  pid: number;
  parent: number;
  name: string;
  /** The processor time used so far, with that of children that have ended. */
  ms: number;
}

/** Returns the processor time used so far by processes and everything below them, in ms. Needs Linux. */
export function processorMsOf(roots: readonly number[]): number {
  const stats = allStats();
  const parents = new Map(stats.map(({ pid, parent }) => [pid, parent]));
  const isBelow = (pid: number): boolean => roots.includes(pid) || (parents.has(pid) && isBelow(parents.get(pid) ?? 0));
  return stats.filter(({ pid }) => isBelow(pid)).reduce((sum, { ms }) => sum + ms, 0);
}

/** Returns the ids of the children of this process that run a program with one of these names. */
export const childrenNamed = (names: readonly string[]): number[] =>
  allStats()
    .filter(({ parent, name }) => parent === process.pid && names.includes(name))
    .map(({ pid }) => pid);

const allStats = (): ProcessStat[] => readdirSync('/proc').flatMap((pid) => (/^\d+$/.test(pid) ? statOf(pid) : []));

function statOf(id: string): ProcessStat[] {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = values.slice(11, 15).reduce((sum, value) => sum + Number(value), 0);
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return [{ pid: Number(id), parent: Number(values[1]), name, ms: ticks * TICK_MS }];
  } catch {
    return []; // it has ended
  }
}
