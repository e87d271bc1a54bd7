import type { Generated } from 'kysely';

/** What waits for runs to end. */
export interface AutomationGatesTable {
  org_id: string;
  id: string;
  /** That is handed off then. */
  session_id: string;
  is_elsewhere: boolean;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    automation_gates: AutomationGatesTable;
  }
}
