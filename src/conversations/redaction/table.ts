import type { Generated, JSONColumnType } from 'kysely';
import type { Actor } from '../../schemas/actor.ts';

/** The audit log of redactions. */
export interface RedactionsTable {
  org_id: string;
  id: string;
  kind: 'message' | 'session' | 'feedback';
  /** Null for a reader's feedback. */
  session_id: string | null;
  /** The redacted message. Null for a whole session. */
  message_id: string | null;
  /** The answer of a reader with the redacted sentence. */
  feedback_id: string | null;
  reason: string | null;
  /** The requesting API key, or the dashboard session of a member. */
  api_key_id: string;
  /** The actor behind the request. Null in those of earlier versions. */
  actor: JSONColumnType<Actor> | null;
  /** The number of removed texts. */
  affected: number;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    redactions: RedactionsTable;
  }
}
