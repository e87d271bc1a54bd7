import type { Generated } from 'kysely';

/** A link to a survey for one resolution of a session. */
export interface CsatSurveysTable {
  org_id: string;
  /** Also the id of the event `csat_requested` in the session's history, and of the delivery. */
  id: string;
  session_id: string;
  /** The number of the resolution, from 1. */
  resolution: number;
  state: Generated<'pending' | 'requested' | 'skipped'>;
  due_at: Date;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    csat_surveys: CsatSurveysTable;
  }
}
