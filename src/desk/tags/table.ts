import type { Generated } from 'kysely';

export interface TagsTable {
  org_id: string;
  /** The key shared by all spellings of the name. */
  tag_key: string;
  tag_name: string;
  exclude_from_auto_tagging: boolean;
  description: string | null;
  category_id: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface TagSettingsTable {
  org_id: string;
  auto_tagging_enabled: boolean;
}

declare module '../../db/database.ts' {
  interface Database {
    tag_settings: TagSettingsTable;
    tags: TagsTable;
  }
}
