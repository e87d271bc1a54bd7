import { type RawBuilder, sql } from 'kysely';

/** The open time of a team: see `CountedTime` of the office hours. */
export interface TeamTimes {
  team_id: string;
  starts: number[];
  ends: number[];
  counted: number[];
}

/** Joins the open time of each session's team, as `calendar`. A team without office hours has none. */
export function joinCalendars(times: TeamTimes[]): RawBuilder<unknown> {
  const rows = times.map(
    ({ team_id, starts, ends, counted: before }) =>
      sql`(${team_id}::uuid, ${starts}::float8[], ${ends}::float8[], ${before}::float8[])`,
  );
  const none = sql`(null::uuid, null::float8[], null::float8[], null::float8[])`;
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
      else ${openBefore(end)} - ${openBefore(start)} end
  end`;

/** The open seconds before a time. The place among the intervals is found by a binary search. */
function openBefore(at: RawBuilder<unknown>): RawBuilder<unknown> {
  const seconds = sql`date_part('epoch', ${at})`;
  const place = sql`width_bucket(${seconds}, calendar.starts)`;
  return sql`coalesce(calendar.counted[${place}] + least(${seconds}, calendar.ends[${place}]) - calendar.starts[${place}], 0)`;
}
