/**
 * The open time of teams with the same office hours within a range, for SQL: the open intervals in order, and the seconds
 * that are open before each.
 */
export interface CountedTime {
  team_ids: string[];
  starts: Date[];
  ends: Date[];
  counted: number[];
}
