import type { ColumnType, Generated } from 'kysely';
import type { ContactFilter } from '../filters/schema.ts';

export interface SegmentsTable {
  org_id: string;
  id: string;
  name: string;
  filter: ColumnType<ContactFilter | null, string | null, string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    segments: SegmentsTable;
  }
}
