import type { Generated } from 'kysely';

/** The audit of redactions. */
export interface RedactionsTable {
  org_id: string;
  id: string;
  kind: 'message' | 'session';
  session_id: string;
  /** Of a message alone. */
  message_id: string | null;
  reason: string | null;
  /** The key that asked for it. */
  api_key_id: string;
  /** How many texts were still there. */
  affected: number;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    redactions: RedactionsTable;
  }
}
