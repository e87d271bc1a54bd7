/**
 * Runs a synchronous function and returns its result with the processor time it took, in milliseconds. Time during
 * which other processes had the processor does not count.
 */
export function cpuTimeOf<T>(work: () => T): [T, number] {
  const begun = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(begun);
  return [result, (user + system) / 1_000];
}
