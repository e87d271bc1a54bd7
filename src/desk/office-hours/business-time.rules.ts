import { clockChangeOrEnd, DAY_MS, modulo, offsetMsAt, wallClockMsAt } from '../../orgs/time-zones.rules.ts';

/** The days of the week by the name in a shift. 0 is Sunday. */
export const DAYS_OF = {
  everyday: [0, 1, 2, 3, 4, 5, 6],
  friday: [5],
  friday_and_saturday: [5, 6],
  monday: [1],
  monday_to_friday: [1, 2, 3, 4, 5],
  saturday: [6],
  sunday: [0],
  sunday_and_monday: [0, 1],
  sunday_to_thursday: [0, 1, 2, 3, 4],
  thursday: [4],
  tuesday: [2],
  wednesday: [3],
} as const satisfies Record<string, readonly number[]>;

export type DayOfWeek = keyof typeof DAYS_OF;

/**
 * A shift with times of day as HH:mm:ss, including its start and excluding its end. It crosses midnight if the end is
 * before the start, and is 24 hours long if they are equal. 24:00:00 is the end of the day, and so is 23:59:59: whoever
 * enters the last second of a day means the whole day.
 */
export interface WorkingShift {
  day_of_week: DayOfWeek;
  start_time: string;
  end_time: string;
}

export interface WorkingTime {
  iana_timezone: string;
  /** May overlap. */
  shifts: readonly WorkingShift[];
  /** Calendar days as YYYY-MM-DD, closed from midnight to midnight. This cuts shifts from adjacent days as well. */
  holidays: readonly { date: string }[];
}

/**
 * Working time prepared for queries. It follows the wall clock of the zone: a shift in a skipped hour is empty, and a
 * shift in a repeated hour is open both times.
 */
export interface BusinessCalendar {
  timeZone: string;
  /** The open spans of each day of the week, in milliseconds of the wall clock since midnight, sorted and disjoint. */
  week: readonly (readonly Span[])[];
  /** The midnights at their start, as if they were UTC. */
  holidays: ReadonlySet<number>;
}

export interface Interval {
  start: Date;
  end: Date;
}

interface Span {
  start: number;
  end: number;
}

export const DAYS_OF_WEEK = 7;
/** Thursday. */
const FIRST_DAY_OF_1970 = 4;
const LAST_SECOND = '23:59:59';
/** The longest span to search for a clock change at once. */
const MAX_STEP_MS = 3 * DAY_MS;
const MAX_STATE_MS = 400 * DAY_MS;
const MAX_WAIT_MS = 3_653 * DAY_MS;

/** Builds a calendar within microseconds, so it need not be cached. */
export function businessCalendar({ iana_timezone, shifts, holidays }: WorkingTime): BusinessCalendar {
  const days = shifts.flatMap(daysOf);
  return {
    timeZone: iana_timezone,
    week: Array.from({ length: DAYS_OF_WEEK }, (_, day) => mergedSpans(days.filter((span) => span.day === day))),
    holidays: new Set(holidays.map(({ date }) => Date.parse(date))),
  };
}

/** Returns whether the wall clock is within a shift and not on a holiday. */
export function isOpen(calendar: BusinessCalendar, at: Date): boolean {
  const wallMs = wallClockMsAt(at.getTime(), calendar.timeZone);
  const [span] = openSpansOnWallClock(calendar, wallMs, wallMs + 1);
  return span !== undefined;
}

/** Returns the next change between open and closed after `at`. Null if there is none within 400 days. */
export function nextChange(calendar: BusinessCalendar, at: Date): Date | null {
  const from = at.getTime();
  const to = from + MAX_STATE_MS;
  let openUntil = from;
  for (const { start, end } of openSpans(calendar, from, to)) {
    if (start > openUntil) return new Date(openUntil === from ? start : openUntil);
    openUntil = end;
  }
  return openUntil === from || openUntil === to ? null : new Date(openUntil);
}

/** Returns the open intervals from `from` until `to`: sorted, disjoint, none empty. */
export function openIntervals(calendar: BusinessCalendar, from: Date, to: Date): Interval[] {
  const spans = mergedSpans([...openSpans(calendar, from.getTime(), to.getTime())]);
  return spans.map(({ start, end }) => ({ start: new Date(start), end: new Date(end) }));
}

/** Returns the open time between the two in seconds, with fractions; 0 if `to` is not after `from`. */
export function businessSecondsBetween(calendar: BusinessCalendar, from: Date, to: Date): number {
  let ms = 0;
  for (const { start, end } of openSpans(calendar, from.getTime(), to.getTime())) ms += end - start;
  return ms / 1000;
}

/**
 * Returns the first instant with this many open seconds since `from`, possibly the end of a shift. Returns `from`
 * itself for no seconds, and null if there is no such instant within ten years.
 */
export function addBusinessSeconds(calendar: BusinessCalendar, from: Date, seconds: number): Date | null {
  let leftMs = Math.round(seconds * 1000);
  if (leftMs <= 0) return from;
  for (const { start, end } of openSpans(calendar, from.getTime(), from.getTime() + MAX_WAIT_MS)) {
    if (leftMs <= end - start) return new Date(start + leftMs);
    leftMs -= end - start;
  }
  return null;
}

/** Yields the open spans in order. At midnight or a clock change, one may begin at the end of the last. */
function* openSpans(calendar: BusinessCalendar, from: number, to: number): Iterable<Span> {
  if (calendar.week.every((spans) => spans.length === 0)) return;
  for (let at = from; at < to; ) {
    const end = clockChangeOrEnd(at, Math.min(at + MAX_STEP_MS, to), calendar.timeZone);
    const offsetMs = offsetMsAt(at, calendar.timeZone);
    for (const span of openSpansOnWallClock(calendar, at + offsetMs, end + offsetMs)) {
      yield { start: span.start - offsetMs, end: span.end - offsetMs };
    }
    at = end;
  }
}

/** Yields the same between two readings of the wall clock, as if it ran without clock changes. */
function* openSpansOnWallClock({ week, holidays }: BusinessCalendar, from: number, to: number): Iterable<Span> {
  for (let midnight = Math.floor(from / DAY_MS) * DAY_MS; midnight < to; midnight += DAY_MS) {
    if (holidays.has(midnight)) continue;
    for (const span of week[modulo(midnight / DAY_MS + FIRST_DAY_OF_1970, DAYS_OF_WEEK)] ?? []) {
      const start = Math.max(midnight + span.start, from);
      const end = Math.min(midnight + span.end, to);
      if (start < end) yield { start, end };
    }
  }
}

/** Returns the open spans of a shift on each day of the week. */
function daysOf({ day_of_week, start_time, end_time }: WorkingShift): (Span & { day: number })[] {
  const start = msOfDay(start_time);
  const end = end_time === LAST_SECOND && start_time !== LAST_SECOND ? DAY_MS : msOfDay(end_time);
  return DAYS_OF[day_of_week].flatMap((day) =>
    start < end
      ? [{ day, start, end }]
      : [
          { day, start, end: DAY_MS },
          { day: (day + 1) % DAYS_OF_WEEK, start: 0, end },
        ],
  );
}

/** Returns the spans in order and without empty ones, with overlapping or adjacent ones merged. */
function mergedSpans(spans: Span[]): Span[] {
  const result: Span[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (start === end) continue;
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

const msOfDay = (time: string): number => Date.parse(`1970-01-01T${time}Z`);
