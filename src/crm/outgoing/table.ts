import type { Generated } from 'kysely';

/**
 * Where a message is posted: to the customer, in the session's thread in HubSpot, to the agents in Salesforce, or as a note
 * on the session's ticket in HubSpot.
 */
export type MessageTarget = 'thread' | 'miaw' | 'ticket';

/** Messages to the other system, and changes of messages. Their text is in the session's history. */
export interface CrmMessagesTable {
  org_id: string;
  /** Our id of the message. */
  id: string;
  session_id: string;
  target: MessageTarget;
  /** The other system's id of the message. */
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
