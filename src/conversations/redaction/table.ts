import type { Generated } from 'kysely';

/** The audit log of redactions. */
export interface RedactionsTable {
  org_id: string;
  id: string;
  kind: 'message' | 'session';
  session_id: string;
  /** The redacted message. Null for a whole session. */
  message_id: string | null;
  reason: string | null;
  /** The requesting API key. */
  api_key_id: string;
  /** The number of removed texts. */
  affected: number;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    redactions: RedactionsTable;
  }
}
