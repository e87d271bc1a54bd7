import { Cron } from 'croner';
import { clockChangeOrEnd, DAY_MS, offsetMsAt } from '../../orgs/time-zones.rules.ts';

const MINUTE_MS = 60_000;
/** No clock change moves more than one time by more than this. */
const AROUND_MS = 180 * MINUTE_MS;
const YEARS_AHEAD = 3;
const STEP_MS = 3 * DAY_MS;

export interface CronTimes {
  cron: string;
  timezone: string;
}

/**
 * The times of a cron expression. Fixed times, without * or a step in minutes and hours, come once a day: where clocks go
 * forward, a skipped time comes at the first instant after it, and where they go back, a repeated one comes at its first
 * instant. Other expressions follow the clock. If both days are given, both must match.
 */
const cronOf = ({ cron, timezone }: CronTimes): Cron =>
  new Cron(cron, { timezone, paused: true, domAndDow: true, fixedTimeRule: 'no-wildcard' });

/** Returns the next time, or undefined if there is none. Throws for an invalid expression. */
export const nextTimeOf = (times: CronTimes): Date | undefined => cronOf(times).nextRun() ?? undefined;

/** Returns the last time up to an instant. croner's own search backwards misses some that a clock change has moved. */
export function lastTimeUpTo(times: CronTimes, now: Date): Date | undefined {
  const cron = cronOf(times);
  const [before] = cron.previousRuns(1, now);
  return before && timesBetween(cron, before, now).at(-1);
}

/**
 * Whether a Schedule of Temporal begins a run at an instant that is none of the expression. It does so around clock
 * changes. A run that an operator begins does not come at a full minute.
 */
export function isMisplaced(times: CronTimes, at: Date): boolean {
  if (at.getTime() % MINUTE_MS !== 0 || !isNearClockChange(times, at)) return false;
  return !isTimeOf(times, at);
}

/** Whether an instant is one of the expression's times. */
export const isTimeOf = (times: CronTimes, at: Date): boolean => timesBetween(cronOf(times), at, at).length > 0;

/** Whether the zone's clocks change within three hours of an instant. */
export const isNearClockChange = ({ timezone }: CronTimes, at: Date): boolean =>
  offsetMsAt(at.getTime() - AROUND_MS, timezone) !== offsetMsAt(at.getTime() + AROUND_MS, timezone);

/** Whether an instant is the last time within three hours of a clock change. */
export function isLastAroundClockChange(times: CronTimes, at: Date): boolean {
  if (!isNearClockChange(times, at)) return false;
  const next = cronOf(times).nextRun(at);
  return next === null || !isNearClockChange(times, next);
}

/** Returns the times within three hours of each clock change of the next three years. */
export function timesAroundClockChanges(times: CronTimes, from: Date): Date[] {
  const cron = cronOf(times);
  return clockChanges(times.timezone, from.getTime()).flatMap((change) =>
    timesBetween(cron, new Date(change - AROUND_MS), new Date(change + AROUND_MS)),
  );
}

function timesBetween(cron: Cron, first: Date, last: Date): Date[] {
  const times: Date[] = [];
  let next = cron.nextRun(new Date(first.getTime() - 1000));
  while (next !== null && next <= last) {
    times.push(next);
    next = cron.nextRun(next);
  }
  return times;
}

function clockChanges(timezone: string, from: number): number[] {
  const changes: number[] = [];
  let offset = offsetMsAt(from, timezone);
  for (let at = from; at < from + YEARS_AHEAD * 366 * DAY_MS; at += STEP_MS) {
    const next = offsetMsAt(at + STEP_MS, timezone);
    if (next !== offset) changes.push(clockChangeOrEnd(at, at + STEP_MS, timezone));
    offset = next;
  }
  return changes;
}
