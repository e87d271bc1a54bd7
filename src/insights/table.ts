import type { ColumnType, Generated } from 'kysely';
import type { LearntTag } from '../tagging/learning.rules.ts';
import type { InsightStatus, Sentiment, StatementKind } from './schema.ts';

export interface InsightsTable {
  org_id: string;
  id: string;
  /** Counts from 1 in the org, without gaps. */
  number: number;
  content: string;
  /**
   * The source of the name. `quote`: the text of one of its statements. `redaction`: all its statements were redacted.
   */
  named_by: 'quote' | 'model' | 'person' | 'redaction';
  /** The statements behind the name. */
  name_sources: Generated<string[]>;
  /** The number of its sessions when it was named. */
  named_at_count: Generated<number>;
  category: string | null;
  /** A person may have chosen none. */
  category_by: 'person' | 'classifier' | null;
  status: Generated<InsightStatus>;
  /** The most frequent sentiment of its statements. */
  sentiment: Sentiment | null;
  /** The numbers of its statements by sentiment. */
  angry: Generated<number>;
  happy: Generated<number>;
  neutral: Generated<number>;
  /** The number of sessions. */
  occurrence_count: Generated<number>;
  first_seen_at: Date | null;
  last_seen_at: Date | null;
  team_id: string | null;
  resolved_at: Date | null;
  /** The API key. */
  resolved_by: string | null;
  archived_reason: string | null;
  /** The session. */
  reopened_because: string | null;
  /** The insight it was merged into. */
  merged_into: string | null;
  /** The last insight of the chain of merges. Its own id if it is not merged. */
  root_id: string;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface InsightStatementsTable {
  org_id: string;
  id: string;
  session_id: string;
  message_id: string;
  /** The insight it was assigned to. Null: not assigned yet. */
  own_insight_id: string | null;
  /** The root of its own insight. */
  insight_id: string | null;
  kind: StatementKind | null;
  content: string;
  quote: string;
  sentiment: Sentiment | null;
  said_at: Date;
  /** The maker of the vector: `words`, or `model:` and its name. */
  space: string | null;
  vector: Buffer | null;
  /** Whether the words of its content are counted in the org's terms. */
  has_terms: Generated<boolean>;
  created_at: Generated<Date>;
}

/** An extraction from a session, and its maker. */
export interface InsightExtractionsTable {
  org_id: string;
  session_id: string;
  number: number;
  /** A model, or `extractive-1`. */
  made_by: string;
  statements: number;
  created_at: Generated<Date>;
}

/** Sessions of an insight, with the columns for filters. A trigger keeps these columns as those of the session. */
export interface InsightSessionsTable {
  org_id: string;
  insight_id: string;
  session_id: string;
  sentiment: Sentiment | null;
  channel: string;
  language: string | null;
  status: string;
  ticket_sentiment: string | null;
  contact_id: string | null;
  session_created_at: Date;
}

/** The sum of all vectors of an org. `revision` rises with each change of it or of a centroid. */
export interface InsightSpacesTable {
  org_id: string;
  space: string;
  sum: Buffer;
  vectors: number;
  revision: number;
}

/** The sum of the vectors of an insight's own statements. */
export interface InsightCentroidsTable {
  org_id: string;
  insight_id: string;
  space: string;
  sum: Buffer;
  vectors: number;
  revision: number;
}

/** In how many statements a feature of words occurs. */
export interface InsightTermsTable {
  org_id: string;
  bucket: number;
  texts: number;
}

export interface InsightCountersTable {
  org_id: string;
  last_number: number;
}

/** A merge: `insight_id` into `other_id`. A split: `insight_id` out of `other_id`. */
export interface InsightOperationsTable {
  org_id: string;
  id: string;
  kind: 'merge' | 'split';
  insight_id: string;
  other_id: string;
  /** The API key. */
  done_by: string;
  undone_by: string | null;
  created_at: Generated<Date>;
  undone_at: Date | null;
}

/** Statements moved by a split, each with its insight before. */
export interface InsightMovesTable {
  org_id: string;
  operation_id: string;
  statement_id: string;
  own_insight_id: string;
}

/** Two possibly identical insights. `insight_id` is the older one. */
export interface InsightProposalsTable {
  org_id: string;
  id: string;
  insight_id: string;
  other_id: string;
  similarity: number;
  dismissed_at: Date | null;
  created_at: Generated<Date>;
}

/** The weekly review of an org's insights, and the categories learnt from people. */
export interface InsightReviewsTable {
  org_id: string;
  requested_at: Generated<Date>;
  tags: ColumnType<LearntTag[] | null, string | null, string | null>;
  model: Buffer | null;
  reviewed_at: Date | null;
}

declare module '../db/database.ts' {
  interface Database {
    insight_centroids: InsightCentroidsTable;
    insight_counters: InsightCountersTable;
    insight_extractions: InsightExtractionsTable;
    insight_moves: InsightMovesTable;
    insight_operations: InsightOperationsTable;
    insight_proposals: InsightProposalsTable;
    insight_reviews: InsightReviewsTable;
    insight_sessions: InsightSessionsTable;
    insight_spaces: InsightSpacesTable;
    insight_statements: InsightStatementsTable;
    insight_terms: InsightTermsTable;
    insights: InsightsTable;
  }
}
