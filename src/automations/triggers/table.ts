/** Cursor of each workflow: the last inactive session announced to it. */
export interface InactivityClocksTable {
  org_id: string;
  automation_id: string;
  minutes: number;
  silent_since: Date;
  session_id: string;
}

declare module '../../db/database.ts' {
  interface Database {
    inactivity_clocks: InactivityClocksTable;
  }
}
