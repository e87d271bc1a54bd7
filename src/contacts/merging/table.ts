import type { ColumnType, Generated } from 'kysely';
import type { MergeRecord } from './rules.ts';

/** Contacts that were merged into others, with what identified them and the other one has too. */
export interface ContactMergesTable {
  org_id: string;
  /** The id of the contact that is no more. */
  absorbed_id: string;
  /** The contact that it is now. */
  contact_id: string;
  email: string | null;
  phone_number: string | null;
  external_id: string | null;
  /** What the merge did, for its repeated request. */
  result: ColumnType<MergeRecord, string, never>;
  merged_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    contact_merges: ContactMergesTable;
  }
}
