import type { ColumnType, Generated } from 'kysely';
import type { AiSettings } from './schema.ts';

/** The settings of an org's AI: the fields different from the defaults. */
export interface AiConfigsTable {
  org_id: string;
  draft: ColumnType<Partial<AiSettings>, string, string>;
  published: ColumnType<Partial<AiSettings>, string, string>;
  /** Counts the publications. */
  version: number;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    ai_configs: AiConfigsTable;
  }
}
