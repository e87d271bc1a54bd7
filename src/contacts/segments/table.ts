import type { ColumnType, Generated } from 'kysely';
import type { CompositeFilter } from '../filters/schema.ts';

export interface SegmentsTable {
  org_id: string;
  id: string;
  name: string;
  filter: ColumnType<CompositeFilter | null, string | null, string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    segments: SegmentsTable;
  }
}
