import type { ColumnType, Generated } from 'kysely';
import type { Actor } from '../schemas/actor.ts';
import type { FindingCode } from './findings.rules.ts';
import type { ImportResource, ImportSource } from './schema.ts';

/** A file of records of another desk, and how far it is imported. */
export interface ImportsTable {
  org_id: string;
  id: string;
  source: ImportSource;
  resource: ImportResource;
  /** Distinguishes several accounts of a source. Empty for the only one. */
  account: string;
  /** Of a CSV file: the names in its first line. Null: the file has JSON. */
  columns: string[] | null;
  delimiter: string | null;
  storage_key: string;
  /** As its sender named it. */
  file_name: string | null;
  size: ColumnType<string, number, never>;
  /** Who began it. */
  actor: ColumnType<Actor, string, never>;
  state: Generated<'running' | 'completed' | 'failed' | 'canceled'>;
  /** The bytes of the file that are done, up to the end of a record. */
  position: ColumnType<string, number | undefined, number>;
  /** Of a CSV file: the lines that are done, with the header. */
  lines: Generated<number>;
  /** The records that are done. */
  records: Generated<number>;
  created: Generated<number>;
  updated: Generated<number>;
  unchanged: Generated<number>;
  left_out: Generated<number>;
  /** The records that were imported without a part. */
  incomplete: Generated<number>;
  /** Why it failed. */
  reason: string | null;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

/** What of a file was left out, and why. */
export interface ImportFindingsTable {
  org_id: string;
  import_id: string;
  /** Counts the records of the file from 1. */
  record: number;
  /** Counts the findings about a record from 0. */
  nth: number;
  /** The id of the record in its source. */
  external_id: string | null;
  /** Whether the whole record was left out. */
  is_left_out: boolean;
  code: FindingCode;
  reason: string;
}

/** What was imported, by its id in its source. It stays when the record is deleted here: a later import leaves it out. */
export interface ImportedRecordsTable {
  org_id: string;
  /** The source, with the account if it has a name. */
  source: string;
  kind: 'contact' | 'agent' | 'session' | 'article';
  external_id: string;
  /** The contact or session. Null for agents and articles. */
  id: string | null;
  /** Of an agent: name and e-mail. Of a session: its last event that was imported. Of an article: its path and content. */
  data: ColumnType<Record<string, unknown>, string | undefined, string>;
}

declare module '../db/database.ts' {
  interface Database {
    import_findings: ImportFindingsTable;
    imported_records: ImportedRecordsTable;
    imports: ImportsTable;
  }
}
