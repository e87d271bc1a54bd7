import type { ColumnType, Generated } from 'kysely';

export interface OrgsTable {
  id: string;
  partner_id: string;
  external_id: string | null;
  name: string;
  website: string | null;
  language: Generated<string>;
  ai_instructions: string | null;
  widget_token: string;
  settings: ColumnType<Record<string, unknown>, string | undefined, string>;
  /** Encrypted. The settings contain a masked copy. */
  http_action_overrides: ColumnType<string | null, never, string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    orgs: OrgsTable;
  }
}
