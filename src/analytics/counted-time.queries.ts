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

/**
 * The seconds between two times of a session that count: those in the office hours of its team, or all if it has none.
 * Null if one of the times is missing, or they are not in order.
 */
export const counted = (start: RawBuilder<unknown>, end: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  case when ${end} >= ${start} then
    case when calendar.team_id is null then date_part('epoch', ${end} - ${start})
      else ${openBefore(end)} - ${openBefore(start)} + date_part('epoch', ${openSince(end)} - ${openSince(start)}) end
  end`;

/** The place of a time among the open intervals, by a binary search: the last one that has begun, or 0. */
const placeOf = (at: RawBuilder<unknown>) => sql`width_bucket(${at}, calendar.starts)`;

/** The seconds that were open before the interval of a time. */
const openBefore = (at: RawBuilder<unknown>) => sql`coalesce(calendar.counted[${placeOf(at)}], 0)`;

/** How long it was open in the interval of a time until then. */
const openSince = (at: RawBuilder<unknown>) => sql`coalesce(
  least(${at}, calendar.ends[${placeOf(at)}]) - calendar.starts[${placeOf(at)}], interval '0')`;
