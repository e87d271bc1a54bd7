import type { Generated } from 'kysely';

export interface TagCategoriesTable {
  org_id: string;
  id: string;
  /** The key shared by all spellings of the name. */
  name_key: string;
  name: string;
  description: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    tag_categories: TagCategoriesTable;
  }
}
