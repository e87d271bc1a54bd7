import type { ColumnType, Generated } from 'kysely';
import type { LearntTag } from './learning.rules.ts';

/** What an org's tagged sessions have taught. Without a model it was only requested. */
export interface AiTagModelsTable {
  org_id: string;
  /** The number of sessions it was learnt from. */
  sessions: number | null;
  tags: ColumnType<LearntTag[] | null, string, string>;
  model: Buffer | null;
  requested_at: Generated<Date>;
  learnt_at: Date | null;
}

export interface AiTagSuggestionsTable {
  org_id: string;
  session_id: string;
  tag_key: string;
  /** Null if a model suggested it. */
  score: number | null;
  /** The model that suggested it. */
  model: string | null;
  created_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    ai_tag_models: AiTagModelsTable;
    ai_tag_suggestions: AiTagSuggestionsTable;
  }
}
