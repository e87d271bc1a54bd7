import { type RawBuilder, sql } from 'kysely';
import type { CountedTime } from '../desk/office-hours/counted-time.rules.ts';

/** Joins the open time of each session's team, as `calendar`. A team without office hours has none. */
export function joinCalendars(times: CountedTime[]): RawBuilder<unknown> {
  const rows = times.map(
    ({ team_ids, starts, ends, counted: before }) =>
      sql`(${team_ids}::uuid[], ${starts}::timestamptz[], ${ends}::timestamptz[], ${before}::float8[])`,
  );
  const none = sql`(null::uuid[], null::timestamptz[], null::timestamptz[], null::float8[])`;
  return sql`left join (
      select unnest(team_ids) as team_id, starts, ends, counted
      from (values ${sql.join(rows.length > 0 ? rows : [none])}) as open (team_ids, starts, ends, counted)
    ) as calendar on calendar.team_id = session.team_id`;
}

/** Selects the place of a time among the open intervals, by a binary search: the last one that has begun, or 0. */
export const placeOf = (column: string): RawBuilder<unknown> =>
  sql`width_bucket(${sql.ref(column)}, starts) as ${sql.ref(`${column}_place`)}`;

/**
 * The seconds between two times of a session that count: those in the office hours of its team, or all if it has none.
 * Null if one of the times is missing, or they are not in order. Both times are columns beside their places. Times have
 * milliseconds, so seconds have three decimals.
 */
export const counted = (start: string, end: string): RawBuilder<unknown> => sql`
  case when ${sql.ref(end)} >= ${sql.ref(start)} then
    case when starts is null then ${secondsUntil(sql.ref(end), sql.ref(start))}
      else round((${openBefore(end)} - ${openBefore(start)} + ${openSince(end)} - ${openSince(start)}) * 1000) / 1000 end
  end`;

const atPlace = (array: string, column: string): RawBuilder<unknown> =>
  sql`${sql.ref(array)}[${sql.ref(`${column}_place`)}]`;

/** The seconds that were open before the interval of a time. */
const openBefore = (column: string) => sql`coalesce(${atPlace('counted', column)}, 0)`;

/** The seconds that it was open in the interval of a time until then. */
const openSince = (column: string) =>
  sql`coalesce(${secondsUntil(sql`least(${sql.ref(column)}, ${atPlace('ends', column)})`, atPlace('starts', column))}, 0)`;

/** The seconds from one time to another. To make an interval, and seconds of it, takes three times as long. */
const secondsUntil = (end: RawBuilder<unknown>, start: RawBuilder<unknown>) => sql`tstzrange_subdiff(${end}, ${start})`;
