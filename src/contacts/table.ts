import type { ColumnType, Generated } from 'kysely';
import type { SealedOverrides } from './saving/merge.rules.ts';

export interface ContactsTable {
  org_id: string;
  id: string;
  email: string | null;
  phone_number: string | null;
  /** The contact's id in another system, unique in the org. */
  external_id: string | null;
  name: string | null;
  custom_data: ColumnType<Record<string, string>, string | undefined, string>;
  http_action_overrides: ColumnType<SealedOverrides | null, string | null | undefined, string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    contacts: ContactsTable;
  }
}
