/**
 * The open time of teams with the same office hours within a range, for SQL: the open intervals in order, in seconds since
 * 1970. Until a time in an interval, it was open for the time itself, or the end of the interval if that is earlier, and
 * the interval's `offsets`. Before the first interval is an empty one at 0. All are arrays as Postgres writes them: to make
 * those of lists takes longer than all else.
 */
export interface CountedTime {
  team_ids: string[];
  starts: string;
  ends: string;
  offsets: string;
}
