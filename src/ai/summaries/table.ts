import type { Generated } from 'kysely';

/** A handoff or a resolution with a request to a model. It is not asked again. */
export interface AiSummariesTable {
  org_id: string;
  session_id: string;
  occasion: 'handoff' | 'resolution';
  /** When the session was handed off or resolved. */
  at: Date;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    ai_summaries: AiSummariesTable;
  }
}
