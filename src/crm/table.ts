import type { ColumnType, Generated } from 'kysely';

type Json<T> = ColumnType<T, string | undefined, string>;

/** The CRM's conversation, contact and ticket of a session. */
export interface CrmLinksTable {
  org_id: string;
  session_id: string;
  thread_id: string | null;
  contact_id: string | null;
  ticket_id: string | null;
  /** When the latest stored message of the thread was written. */
  read_until: Date | null;
  /** When each synced property of the ticket last changed: ISO 8601 by property name. */
  property_times: Json<Record<string, string>>;
  created_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    crm_links: CrmLinksTable;
  }
}
