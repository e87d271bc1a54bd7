import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Json, Step, TriggerType } from './blocks/schema.ts';
import type { CredentialOrigins } from './credential-origins.rules.ts';

type Stored<T> = ColumnType<T, string, string>;

type StoredOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>;

export interface AutomationsTable {
  org_id: string;
  id: string;
  webhook_token: string;
  /** The version started by the trigger. Null: none. */
  active_version: number | null;
  /** Number of failed evaluations of its constraints. */
  constraint_errors: Generated<number>;
  last_constraint_error: string | null;
  constraint_failed_at: Date | null;
  /** Why it has no Schedule in Temporal though its cron trigger needs one. */
  schedule_error: string | null;
  /** Scheduled times up to this one may have started runs that a restore of the database has lost: they start none. */
  times_lost_until: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  /** When it was deleted, while its runs are still to be deleted. */
  deleted_at: Date | null;
}

/** Rows never change. */
export interface AutomationVersionsTable {
  org_id: string;
  id: Generated<number>;
  automation_id: string;
  /** Counts from 1 in the workflow. */
  version_number: number;
  name: string;
  description: string | null;
  trigger_type: TriggerType;
  trigger_configuration: StoredOrNull<Json>;
  trigger_constraints: StoredOrNull<Json>;
  workflow_blocks: Stored<Step[]>;
  /** null: none is known. */
  credential_origins: StoredOrNull<CredentialOrigins>;
  workflow_editor_state: StoredOrNull<Json>;
  /** The length of the steps and the editor's state, as JSON. */
  characters: GeneratedAlways<number>;
  created_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    automation_versions: AutomationVersionsTable;
    automations: AutomationsTable;
  }
}
