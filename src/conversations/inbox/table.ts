import type { ColumnType, Generated } from 'kysely';
import type { InboxFilters } from './schema.ts';

/** A saved list of the inbox: of one member, of a team, or of the whole org if it has neither. */
export interface InboxViewsTable {
  org_id: string;
  id: string;
  name: string;
  query: ColumnType<InboxFilters, string, string>;
  position: number;
  member_id: number | null;
  team_id: string | null;
  /** Null if an API key created it, or its member is gone. */
  created_by: number | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    inbox_views: InboxViewsTable;
  }
}
