import type { Generated } from 'kysely';

/** The ids by which WhatsApp names users who may show no phone number. */
export interface WhatsAppUsersTable {
  org_id: string;
  user_id: string;
  contact_id: string;
  /** When the user was last found to be this contact. */
  seen_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    whatsapp_users: WhatsAppUsersTable;
  }
}
