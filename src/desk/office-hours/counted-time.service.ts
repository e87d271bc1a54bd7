import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Db } from '../../db/connect.ts';
import { DAY_MS } from '../../orgs/time-zones.rules.ts';
import { type BusinessCalendar, businessCalendar, DAYS_OF_WEEK, openIntervals } from './business-time.rules.ts';
import type { CountedTime } from './counted-time.rules.ts';
import { listSupportHours } from './queries.ts';

/** What is computed at once, so that other requests wait for a few milliseconds at most. */
const PIECE_MS = 90 * DAY_MS;

export interface CountedRange {
  from: Date;
  to: Date;
  /** Absent: all teams. */
  teamId: string | undefined;
}

/**
 * Returns the open time of the teams that have office hours, or undefined if it has more intervals than `maxIntervals` in
 * all. Others get the processor in between.
 */
export async function countedTimes(
  db: Db,
  orgId: string,
  { from, to, teamId }: CountedRange,
  maxIntervals: number,
): Promise<CountedTime[] | undefined> {
  const all = await listSupportHours(db, orgId, teamId);
  const calendars = all.map(({ team_ids, ...hours }) => ({ team_ids, calendar: businessCalendar(hours) }));
  const weeks = Math.max(0, to.getTime() - from.getTime()) / (DAYS_OF_WEEK * DAY_MS);
  const intervals = calendars.reduce((sum, { calendar }) => sum + weeks * intervalsPerWeek(calendar), 0);
  if (intervals > maxIntervals) return undefined;
  const times: CountedTime[] = [];
  for (const { team_ids, calendar } of calendars)
    times.push({ team_ids, ...(await countedTimeOf(calendar, from, to)) });
  return times;
}

const intervalsPerWeek = ({ week }: BusinessCalendar): number => week.reduce((sum, { length }) => sum + length, 0);

async function countedTimeOf(calendar: BusinessCalendar, from: Date, to: Date): Promise<Omit<CountedTime, 'team_ids'>> {
  const [starts, ends, offsets]: [number[], number[], number[]] = [[0], [0], [0]];
  let sumMs = 0;
  for (let at = from.getTime(); at < to.getTime(); at += PIECE_MS) {
    const end = new Date(Math.min(at + PIECE_MS, to.getTime()));
    for (const interval of openIntervals(calendar, new Date(at), end)) {
      const [startMs, endMs] = [interval.start.getTime(), interval.end.getTime()];
      starts.push(startMs / 1000);
      ends.push(endMs / 1000);
      offsets.push((sumMs - startMs) / 1000);
      sumMs += endMs - startMs;
    }
    await yieldToOthers();
  }
  return { starts: arrayOf(starts), ends: arrayOf(ends), offsets: arrayOf(offsets) };
}

const arrayOf = (values: number[]): string => `{${values.join(',')}}`;
