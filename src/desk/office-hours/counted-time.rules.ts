/**
 * The open time of teams with the same office hours within a range, for SQL: the open intervals in order, and the seconds
 * that are open before each. They are arrays as Postgres writes them: to make those of lists takes longer than all else.
 */
export interface CountedTime {
  team_ids: string[];
  starts: string;
  ends: string;
  counted: string;
}
