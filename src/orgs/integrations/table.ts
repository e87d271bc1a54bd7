import type { ColumnType, Generated } from 'kysely';

type Json = ColumnType<Record<string, unknown>, string, string>;

export interface IntegrationsTable {
  org_id: string;
  kind: string;
  name: Generated<string>;
  provider: string;
  settings: Json;
  secrets: string | null;
  connected: boolean | null;
  last_error: string | null;
  /**
   * The account of the credentials according to the provider. Null if it was not asked since the settings were
   * replaced.
   */
  account_id: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    integrations: IntegrationsTable;
  }
}
