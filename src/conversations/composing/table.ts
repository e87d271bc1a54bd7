import type { ColumnType, Generated } from 'kysely';
import type { SavedReplyActions } from './saved-replies.schema.ts';

/** A member's unfinished texts in a session. */
export interface DraftsTable {
  org_id: string;
  user_id: number;
  session_id: string;
  kind: 'reply' | 'note';
  text: string;
  media_ids: string[];
  updated_at: Generated<Date>;
}

export interface SavedRepliesTable {
  org_id: string;
  id: string;
  /** Unique in the org in any letter case. */
  shortcut: string;
  title: string;
  /** A template for the fields of the session's contact. */
  text: string;
  media_ids: string[];
  language: string | null;
  team_id: string | null;
  actions: ColumnType<SavedReplyActions | null, string | null, string | null>;
  uses: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    drafts: DraftsTable;
    saved_replies: SavedRepliesTable;
  }
}
