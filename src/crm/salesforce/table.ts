import type { Generated } from 'kysely';

export interface MiawConversationsTable {
  org_id: string;
  session_id: string;
  /** Made by us, so that opening it twice is opening it once. */
  conversation_id: string;
  sealed_token: string | null;
  token_expires_at: Date | null;
  opened_at: Date | null;
  /** Up to which moment the other side's entries were read. */
  read_until: Date | null;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    miaw_conversations: MiawConversationsTable;
  }
}
