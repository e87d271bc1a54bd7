const HOUR_MS = 3_600_000;
const MORNING = 9;
const MONDAY = 1;
const WEEK = 7;

interface SnoozeTime {
  label: string;
  hint: string;
  at: Date;
}

/** Returns the times that people put conversations aside to, by the clock of the browser. */
export function snoozeTimes(now: Date): SnoozeTime[] {
  const untilMonday = (WEEK + MONDAY - now.getDay()) % WEEK || WEEK;
  return [
    { label: 'For an hour', at: new Date(now.getTime() + HOUR_MS) },
    { label: 'For four hours', at: new Date(now.getTime() + 4 * HOUR_MS) },
    { label: 'Until tomorrow', at: morningIn(now, 1) },
    { label: 'Until Monday', at: morningIn(now, untilMonday) },
  ].map((time) => ({ ...time, hint: shownBrief(time.at, now) }));
}

/** Returns nine o'clock of a day after a time. */
function morningIn(now: Date, days: number): Date {
  const morning = new Date(now);
  morning.setDate(morning.getDate() + days);
  morning.setHours(MORNING, 0, 0, 0);
  return morning;
}

/** Returns a time by its weekday, and with the date where it could be taken for today. */
function shownBrief(at: Date, now: Date): string {
  const isLater = at.getDay() === now.getDay() && at.getDate() !== now.getDate();
  return at.toLocaleString(undefined, {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(isLater && { day: 'numeric', month: 'short' }),
  });
}

const MINUTE_MS = 60_000;

/** Returns a moment as a field for local times has it, to the minute. */
export const asFieldValue = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
