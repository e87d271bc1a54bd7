export const DAY_MS = 86_400_000;

/**
 * The instant in the span at which the zone's clocks are changed, else the span's end. No zone has ever changed them twice within three
 * days: no longer span may be asked for.
 */
export function clockChangeOrEnd(start: number, end: number, timeZone: string): number {
  const offset = offsetMsAt(start, timeZone);
  if (offsetMsAt(end, timeZone) === offset) return end;
  let before = start;
  let after = end;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetMsAt(middle, timeZone) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** What the zone's clocks show, as if it were UTC. */
export const wallClockMsAt = (at: number, timeZone: string): number => at + offsetMsAt(at, timeZone);

/** How far the zone's clocks are ahead of UTC. */
export function offsetMsAt(at: number, timeZone: string): number {
  const shown = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(formatterOf(timeZone).format(at));
  if (shown === null) return 0; // UTC is shown as GMT alone
  const [, sign, hours, minutes, seconds = '0'] = shown;
  const ms = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}

/** An IANA name; offsets such as +02:00 are none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The remainder that is not negative. */
export const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

/** One takes 90 µs and 30 KB to make, and there are no more than 600 names. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Throws a RangeError where no zone has this name. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const name = timeZone.toLowerCase();
  const known = formatters.get(name);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formatters.set(name, clock);
  return clock;
}
