import type { Generated } from 'kysely';

export interface CsatScoresTable {
  org_id: string;
  /** Also the id of the event in the session's history. */
  id: string;
  session_id: string;
  /** The number of the scored resolution, from 1. */
  resolution: number;
  score: number;
  created_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    csat_scores: CsatScoresTable;
  }
}
