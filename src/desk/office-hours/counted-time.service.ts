import type { Db } from '../../db/connect.ts';
import { type BusinessCalendar, businessCalendar, openIntervals } from './business-time.rules.ts';
import { listSupportHours } from './queries.ts';

/**
 * The open time of a team within a range, for SQL: the open intervals in order, and the seconds that are open before
 * each.
 */
export interface CountedTime {
  team_id: string;
  starts: Date[];
  ends: Date[];
  counted: number[];
}

/** Returns the open time of each team that has office hours. */
export async function countedTimes(
  db: Db,
  orgId: string,
  { from, to }: { from: Date; to: Date },
): Promise<CountedTime[]> {
  const teams = await listSupportHours(db, orgId);
  return teams.map(({ team_id, ...hours }) => ({ team_id, ...countedTimeOf(businessCalendar(hours), from, to) }));
}

function countedTimeOf(calendar: BusinessCalendar, from: Date, to: Date): Omit<CountedTime, 'team_id'> {
  const intervals = openIntervals(calendar, from, to);
  const starts = intervals.map(({ start }) => start);
  const ends = intervals.map(({ end }) => end);
  let sum = 0;
  const counted = intervals.map(({ start, end }) => {
    const before = sum;
    sum += (end.getTime() - start.getTime()) / 1000;
    return before;
  });
  return { starts, ends, counted };
}
