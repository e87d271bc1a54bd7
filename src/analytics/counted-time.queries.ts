import { type RawBuilder, sql } from 'kysely';

/** The open time of a team: see `CountedTime` of the office hours. */
export interface TeamTimes {
  team_id: string;
  starts: Date[];
  ends: Date[];
  counted: number[];
}

/** Joins the open time of each session's team, as `calendar`. A team without office hours has none. */
export function joinCalendars(times: TeamTimes[]): RawBuilder<unknown> {
  const rows = times.map(
    ({ team_id, starts, ends, counted: before }) =>
      sql`(${team_id}::uuid, ${starts}::timestamptz[], ${ends}::timestamptz[], ${before}::float8[])`,
  );
  const none = sql`(null::uuid, null::timestamptz[], null::timestamptz[], null::float8[])`;
  return sql`left join (values ${sql.join(rows.length > 0 ? rows : [none])}) as calendar (team_id, starts, ends, counted)
    on calendar.team_id = session.team_id`;
}

/** Selects the place of a time among the open intervals, by a binary search: the last one that has begun, or 0. */
export const placeOf = (column: string): RawBuilder<unknown> =>
  sql`width_bucket(${sql.ref(column)}, starts) as ${sql.ref(`${column}_place`)}`;

/**
 * The seconds between two times of a session that count: those in the office hours of its team, or all if it has none.
 * Null if one of the times is missing, or they are not in order. Both times are columns beside their places.
 */
export const counted = (start: string, end: string): RawBuilder<unknown> => sql`
  case when ${sql.ref(end)} >= ${sql.ref(start)} then
    case when starts is null then date_part('epoch', ${sql.ref(end)} - ${sql.ref(start)})
      else ${openBefore(end)} - ${openBefore(start)} + date_part('epoch', ${openSince(end)} - ${openSince(start)}) end
  end`;

const atPlace = (array: string, column: string) => sql`${sql.ref(array)}[${sql.ref(`${column}_place`)}]`;

/** The seconds that were open before the interval of a time. */
const openBefore = (column: string) => sql`coalesce(${atPlace('counted', column)}, 0)`;

/** How long it was open in the interval of a time until then. */
const openSince = (column: string) => sql`coalesce(
  least(${sql.ref(column)}, ${atPlace('ends', column)}) - ${atPlace('starts', column)}, interval '0')`;
