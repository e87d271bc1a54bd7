/** What a report covers: of whom, when, and by what it is grouped. */
export type ReportScope<Query extends { group_by: string }> = Omit<Query, 'from' | 'to'> & {
  orgId: string;
  from: Date;
  to: Date;
  /** The org's, for periods. */
  timeZone: string;
};
