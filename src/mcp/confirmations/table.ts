import type { ColumnType, Generated } from 'kysely';

/** A call of a tool that waits for a person of the org, or what one has decided. Deleted after 30 days. */
export interface McpConfirmationsTable {
  org_id: string;
  id: string;
  /** The API key whose assistant asked, with its name. */
  key_id: string;
  key_name: string;
  tool: string;
  arguments: ColumnType<Record<string, unknown>, string, never>;
  /** The session that the call writes into. The row goes with a redaction of it. */
  session_id: string | null;
  /** Whether members have heard that it waits in the console. */
  is_notified: Generated<boolean>;
  /** `needs_confirmation` is over at `expires_at`. */
  state: 'needs_confirmation' | 'running' | 'done' | 'failed' | 'rejected';
  created_at: Generated<Date>;
  expires_at: Date;
  /** The name of who decided. */
  decided_by: string | null;
  decided_at: Date | null;
  /** The status and the body with which the operation answered. */
  answer_status: number | null;
  answer: ColumnType<unknown, string | null, string | null>;
}

declare module '../../db/database.ts' {
  interface Database {
    mcp_confirmations: McpConfirmationsTable;
  }
}
