/**
 * The open time of teams with the same office hours within a range, for SQL. The intervals are in order, in seconds since
 * 1970, each with an offset. The seconds that were open until a time are the time itself, or the end of its interval if
 * that is earlier, plus the interval's offset. The first interval is empty and at 0, so that every time has one. The
 * arrays are text in the format of Postgres: to have pg convert lists takes longer than all else.
 */
export interface CountedTime {
  team_ids: string[];
  starts: string;
  ends: string;
  offsets: string;
}
