import { DAYS_OF, type WorkingTime } from '../../../src/desk/office-hours/business-time.rules.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The wall clock at the beginning of one minute. */
interface Minute {
  at: number;
  day: number;
  date: string;
  time: string;
}

/** Returns every minute from `from` until `to`. Uses ICU, unlike the code under test. */
export function minutesOf(timeZone: string, from: string, to: string): Minute[] {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const minutes: Minute[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += MINUTE_MS) {
    const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]));
    minutes.push({
      at,
      day: WEEKDAYS.indexOf(parts.weekday ?? ''),
      date: `${parts.year}-${parts.month}-${parts.day}`,
      time: `${parts.hour}:${parts.minute}:${parts.second}`,
    });
  }
  return minutes;
}

/** Returns whether each minute is open. Correct if shifts and clock changes are at full minutes. */
export function openMinutes(minutes: Minute[], { shifts, holidays }: WorkingTime): boolean[] {
  const closed = new Set(holidays.map(({ date }) => date));
  return minutes.map(({ day, date, time }) => {
    if (closed.has(date)) return false;
    return shifts.some(({ day_of_week, start_time, end_time }) => {
      const days: readonly number[] = DAYS_OF[day_of_week];
      const isToday = days.includes(day);
      if (start_time < end_time) return isToday && time >= start_time && time < end_time;
      return (isToday && time >= start_time) || (days.includes((day + 6) % 7) && time < end_time);
    });
  });
}

/** Returns the dates of these days, and of the days before and after them. */
export function datesAround(from: string, to: string): string[] {
  const dates: string[] = [];
  for (let at = Date.parse(from) - DAY_MS; at <= Date.parse(to) + DAY_MS; at += DAY_MS) {
    dates.push(new Date(at).toISOString().slice(0, 10));
  }
  return dates;
}
