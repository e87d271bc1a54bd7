import type { ColumnType, Generated } from 'kysely';

type Json<T> = ColumnType<T, string | undefined, string>;

/** Which conversation, person and ticket of the CRM a session is. */
export interface CrmLinksTable {
  org_id: string;
  session_id: string;
  thread_id: string | null;
  contact_id: string | null;
  ticket_id: string | null;
  /** When the latest message of the thread that was stored was written. */
  read_until: Date | null;
  /** When each property of the ticket that was taken over had changed, as ISO 8601 by its name. */
  property_times: Json<Record<string, string>>;
  created_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    crm_links: CrmLinksTable;
  }
}
