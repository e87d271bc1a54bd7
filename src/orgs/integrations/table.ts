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
  last_error_at: Date | null;
  /** When the errors were last cut to the status, because a text was redacted. */
  errors_cut_at: Date | null;
  last_success_at: Date | null;
  /** The first failure after the last success of a call. */
  failing_since: Date | null;
  /** Whether the error outlasts successful calls, as it is about the settings. */
  has_standing_error: Generated<boolean>;
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
