import type { ColumnType, Generated } from 'kysely';
import type { AuditAction, AuditActorKind, AuditKind } from './schema.ts';

/** A field that was changed, with its values unless they are secret, long or texts. */
export interface AuditedChange {
  field: string;
  old?: unknown;
  new?: unknown;
}

/** Who changed what an org has set up. Triggers of the database write it. */
export interface AuditEntriesTable {
  org_id: string;
  id: Generated<string>;
  created_at: Generated<Date>;
  actor_kind: AuditActorKind;
  actor_id: string | null;
  actor_name: string | null;
  kind: AuditKind;
  ref: string;
  name: string | null;
  action: AuditAction;
  changes: ColumnType<AuditedChange[], string, never>;
}

declare module '../db/database.ts' {
  interface Database {
    audit_entries: AuditEntriesTable;
  }
}
