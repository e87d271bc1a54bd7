import type { Generated } from 'kysely';

export interface CsatScoresTable {
  org_id: string;
  /** Of the event in the session's history as well. */
  id: string;
  session_id: string;
  /** Which of the session's resolutions it is about, from 1. */
  resolution: number;
  score: number;
  created_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    csat_scores: CsatScoresTable;
  }
}
