import { type RawBuilder, sql } from 'kysely';
import type { CountedTime } from '../../desk/office-hours/counted-time.rules.ts';

/** Joins the open time of each session's team, as `calendar`. A team without office hours has none. */
export function joinCalendars(times: CountedTime[]): RawBuilder<unknown> {
  const rows = times.map(
    ({ team_ids, starts, ends, offsets }) =>
      sql`(${team_ids}::uuid[], ${starts}::float8[], ${ends}::float8[], ${offsets}::float8[])`,
  );
  const none = sql`(null::uuid[], null::float8[], null::float8[], null::float8[])`;
  return sql`left join (
      select unnest(team_ids) as team_id, starts, ends, offsets
      from (values ${sql.join(rows.length > 0 ? rows : [none])}) as open (team_ids, starts, ends, offsets)
    ) as calendar on calendar.team_id = session.team_id`;
}

/** The seconds from one time to another. To make an interval, and seconds of it, takes three times as long. */
export const secondsBetween = (start: RawBuilder<unknown>, end: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`tstzrange_subdiff(${end}, ${start})`;

/** The seconds from 1970 to a time. */
export const secondsOf = (time: RawBuilder<unknown>): RawBuilder<unknown> =>
  secondsBetween(sql`timestamptz 'epoch'`, time);

/** Selects the place of a time among the open intervals, by a binary search: the last one that has begun. */
export const placeOf = (column: string): RawBuilder<unknown> =>
  sql`width_bucket(${sql.ref(column)}, starts) as ${sql.ref(`${column}_place`)}`;

/**
 * The seconds between two times of a session that count: those in the office hours of its team, or all if it has none.
 * Null if one of the times is missing, or they are not in order. Both times are columns of secondsOf beside their places.
 * Times have milliseconds, so seconds have three decimals.
 */
export const counted = (start: string, end: string): RawBuilder<unknown> => sql`
  case when ${sql.ref(end)} >= ${sql.ref(start)} then round((
    case when starts is null then ${sql.ref(end)} - ${sql.ref(start)} else ${openUntil(end)} - ${openUntil(start)} end
  ) * 1000) / 1000 end`;

/** The seconds that were open until a time, since the beginning of the range. */
const openUntil = (column: string): RawBuilder<unknown> => {
  const atPlace = (array: string) => sql`${sql.ref(array)}[${sql.ref(`${column}_place`)}]`;
  return sql`(least(${sql.ref(column)}, ${atPlace('ends')}) + ${atPlace('offsets')})`;
};
