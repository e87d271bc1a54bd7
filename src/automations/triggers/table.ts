/** Up to which silence a workflow was told of the sessions in which nobody speaks. */
export interface AutomationSilencesTable {
  org_id: string;
  automation_id: string;
  minutes: number;
  silent_since: Date;
  session_id: string;
}

declare module '../../db/database.ts' {
  interface Database {
    automation_silences: AutomationSilencesTable;
  }
}
