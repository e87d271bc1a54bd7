import type { Generated } from 'kysely';

/** Messages that go to the other system; their text stands in the session's history. */
export interface CrmMessagesTable {
  org_id: string;
  /** The message's own. */
  id: string;
  session_id: string;
  /** The other system's id of it. */
  external_id: string | null;
  state: Generated<'queued' | 'sending' | 'sent' | 'skipped' | 'failed'>;
  attempts: Generated<number>;
  error: string | null;
  first_tried_at: Date | null;
  created_at: Generated<Date>;
  settled_at: Date | null;
}

declare module '../../db/database.ts' {
  interface Database {
    crm_messages: CrmMessagesTable;
  }
}
