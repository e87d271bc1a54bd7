import type { ColumnType, Generated } from 'kysely';
import type { Actor } from '../schemas/actor.ts';
import type { ExportFormat, ExportResource } from './schema.ts';

/** Files of an org's records. Each is written by a job. */
export interface ExportsTable {
  org_id: string;
  id: string;
  resource: ExportResource;
  format: ExportFormat;
  created_after: ColumnType<Date | null, string | null, never>;
  created_before: ColumnType<Date | null, string | null, never>;
  /** Who began it. */
  actor: ColumnType<Actor, string, never>;
  state: Generated<'running' | 'completed' | 'failed' | 'canceled' | 'expired'>;
  /** Counts the runs. Only the last one may write here, so a file that an older run has written is dropped. */
  attempt: Generated<number>;
  /** How often it began again because something was erased meanwhile. */
  restarts: Generated<number>;
  /** The events of erasures that nobody has reacted to, and whose effect this run sees. They do not concern its file. */
  known_erasures: Generated<number[]>;
  /** The records to be written. Null until they are counted. */
  total: number | null;
  written: Generated<number>;
  /** The file, once it is complete. */
  media_id: string | null;
  size: ColumnType<number | null, number | null, number | null>;
  sha256: string | null;
  /** Why it failed, or expired early. */
  reason: string | null;
  created_at: Generated<Date>;
  ended_at: Date | null;
  expires_at: Date | null;
}

declare module '../db/database.ts' {
  interface Database {
    exports: ExportsTable;
  }
}
