/** Calendar days as YYYY-MM-DD, in the org's time zone. */
const DAY_MS = 86_400_000;

/** Returns the day that a moment has in a zone. */
export function dayIn(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return parts.format(at);
}

export const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** Returns the day that is a number of days later. */
export const plusDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** Returns how many days are from one to another, with both. */
export const daysOf = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** Returns the moment when a day begins in a zone. */
export function beginningOf(day: string, zone: string): string {
  const utc = Date.parse(day);
  let at = utc;
  // The second time with the offset of the moment found, for days on which clocks change.
  for (let n = 0; n < 2; n++) at = utc - offsetAt(at, zone);
  return new Date(at).toISOString();
}

/** Clocks by their zones. A clock takes far longer to make than to read, and a year has 365 days. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockIn(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  clocks.set(zone, clock);
  return clock;
}

/** Returns how much the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(at: number, zone: string): number {
  const whole = Math.floor(at / 1_000) * 1_000;
  const shown = clockIn(zone).formatToParts(whole);
  const partOf = (type: string) => Number(shown.find((part) => part.type === type)?.value);
  const [month, day] = [partOf('month') - 1, partOf('day')];
  return Date.UTC(partOf('year'), month, day, partOf('hour'), partOf('minute'), partOf('second')) - whole;
}

export type Period = 'day' | 'week' | 'month';
export const isPeriod = (by: string): by is Period => by === 'day' || by === 'week' || by === 'month';

/** Returns the first days of all periods that a range of days touches, in order. */
export function periodsOf(by: Period, from: string, to: string): string[] {
  const periods: string[] = [];
  for (let first = firstOf(by, from); first <= to; first = nextAfter(by, first)) periods.push(first);
  return periods;
}

const MONDAY = 1;

function firstOf(by: Period, day: string): string {
  if (by === 'day') return day;
  if (by === 'month') return `${day.slice(0, 7)}-01`;
  return plusDays(day, -((new Date(day).getUTCDay() - MONDAY + 7) % 7));
}

/** Returns the first day of the period after the one that begins with a day. */
export function nextAfter(by: Period, first: string): string {
  if (by === 'day') return plusDays(first, 1);
  return by === 'week' ? plusDays(first, 7) : firstOf('month', plusDays(first, 31));
}

const DATE = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' });

/** Returns a day as it is written here: 30 Nov 2026. */
export const shownDate = (day: string): string => DATE.format(new Date(day));

/** Returns the moment at which a day begins in this browser: charts write times by its clock. */
export function localBeginning(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date).toISOString();
}
