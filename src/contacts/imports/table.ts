import type { ColumnType, Generated } from 'kysely';
import type { Actor } from '../../schemas/actor.ts';
import type { ImportKey } from './schema.ts';

/** A CSV file of contacts, and how far it is imported. */
export interface ContactImportsTable {
  org_id: string;
  id: string;
  /** The column that finds contacts. Null: whichever of them a line has. */
  key: ImportKey | null;
  /** Whether contacts that exist are changed. */
  does_update: boolean;
  columns: string[];
  delimiter: string;
  storage_key: string;
  /** As its sender named it. */
  file_name: string | null;
  size: ColumnType<string, number, never>;
  /** Who began it. */
  actor: ColumnType<Actor, string, never>;
  state: Generated<'running' | 'completed' | 'failed'>;
  /** The bytes of the file that are done, up to the end of a line. */
  position: ColumnType<string, number | undefined, number>;
  /** The lines that are done, with the header. */
  lines: Generated<number>;
  created: Generated<number>;
  updated: Generated<number>;
  skipped: Generated<number>;
  refused: Generated<number>;
  /** Why it failed. */
  reason: string | null;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

export interface ContactImportRefusalsTable {
  org_id: string;
  import_id: string;
  line: number;
  reason: string;
  record: string[];
}

declare module '../../db/database.ts' {
  interface Database {
    contact_import_refusals: ContactImportRefusalsTable;
    contact_imports: ContactImportsTable;
  }
}
