import { type RawBuilder, sql } from 'kysely';
import type { Period } from '../reports/periods.rules.ts';

/** A range of times, and the zone by whose wall clock it is divided into periods. */
export interface DividedRange {
  from: Date;
  to: Date;
  timeZone: string;
}

/**
 * SQL: all periods of a range in order, as `periods`: the number `nth`, the first `day`, and the times in the range from
 * `first` until before `next`. It has neither a CTE nor a subquery for each row, as parallel workers run neither.
 */
export function periodsOf(period: Period, { from, to, timeZone }: DividedRange): RawBuilder<unknown> {
  const local = (time: Date) => sql`${time}::timestamptz at time zone ${timeZone}::text`;
  const length = sql`${`1 ${period}`}::interval`;
  return sql`(
    select nth, day::date as day, greatest(${from}::timestamptz, ${beginOf(sql`day`, timeZone)}) as first,
      least(${to}::timestamptz, ${beginOf(sql`(day + ${length})`, timeZone)}) as next
    from generate_series(date_trunc(${period}::text, ${local(from)}), ${local(to)}, ${length}) with ordinality as series (day, nth)
  ) as periods`;
}

/** SQL: one row to join, `division`, by which periodAt finds the period of a time. */
export const divisionOf = (period: Period, range: DividedRange): RawBuilder<unknown> =>
  sql`(select array_agg(first order by nth) as begins from ${periodsOf(period, range)}) as division`;

/**
 * SQL: the number of the period that a time in the range belongs to. To search for it among all takes a fifth of the time
 * of computing the local time.
 */
export const periodAt = (at: RawBuilder<unknown>): RawBuilder<unknown> => sql`width_bucket(${at}, division.begins)`;

/** SQL: the first day of the period with a number. */
export const firstDayOf = (nth: RawBuilder<unknown>, period: Period, range: DividedRange): RawBuilder<unknown> =>
  sql`(select array_agg(day order by nth) from ${periodsOf(period, range)})[${nth}]`;

/**
 * The time at which a day begins, given as its local midnight. Where clocks are set back to midnight an hour later, that
 * is the first of two.
 */
function beginOf(day: RawBuilder<unknown>, timeZone: string): RawBuilder<unknown> {
  const begin = sql`(${day} at time zone ${timeZone}::text)`;
  const hourBefore = sql`(${begin} - interval '1 hour')`;
  return sql`case when ${hourBefore} at time zone ${timeZone}::text >= ${day} then ${hourBefore} else ${begin} end`;
}
