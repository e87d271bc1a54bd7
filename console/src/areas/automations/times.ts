const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** Returns a duration as exactly as it matters: 240 ms, 4.2 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function shownLength(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${(Math.floor(ms / 100) / 10).toFixed(ms < 10 * SECOND ? 1 : 0)} s`;
  if (ms < HOUR) return both(ms, [MINUTE, 'min'], [SECOND, 's']);
  return ms < DAY ? both(ms, [HOUR, 'h'], [MINUTE, 'min']) : both(ms, [DAY, 'd'], [HOUR, 'h']);
}

function both(ms: number, [size, name]: [number, string], [lesser, lesserName]: [number, string]): string {
  const rest = Math.floor((ms % size) / lesser);
  return `${Math.floor(ms / size)} ${name}${rest === 0 ? '' : ` ${rest} ${lesserName}`}`;
}

/** Returns how far a coming moment is: in 4 s, or now. */
export function shownUntil(iso: string): string {
  const ms = Date.parse(iso) - Date.now();
  return ms < SECOND ? 'now' : `in ${shownLength(Math.floor(ms / SECOND) * SECOND)}`;
}
