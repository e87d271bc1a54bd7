import type { Db } from '../../db/connect.ts';
import { type BusinessCalendar, businessCalendar, openIntervals } from './business-time.rules.ts';
import type { CountedTime } from './counted-time.rules.ts';
import { listSupportHours } from './queries.ts';

/** Returns the open time of the teams that have office hours. */
export async function countedTimes(
  db: Db,
  orgId: string,
  { from, to }: { from: Date; to: Date },
): Promise<CountedTime[]> {
  const all = await listSupportHours(db, orgId);
  return all.map(({ team_ids, ...hours }) => ({ team_ids, ...countedTimeOf(businessCalendar(hours), from, to) }));
}

function countedTimeOf(calendar: BusinessCalendar, from: Date, to: Date): Omit<CountedTime, 'team_ids'> {
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
