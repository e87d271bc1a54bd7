const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Returns seconds as people say them: 1 d, 90 min, 45 s. */
export function shownSeconds(seconds: number): string {
  const [name, size] = UNITS.find(([, least]) => seconds >= least && seconds % least === 0) ?? ['s', 1];
  return `${(seconds / size).toLocaleString()} ${name}`;
}
