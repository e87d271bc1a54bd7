import type { ColumnType, Generated } from 'kysely';
import type { NotificationKind } from './schema.ts';

/** What a member hears of. It has no texts of people. */
export interface NotificationsTable {
  org_id: string;
  id: string;
  user_id: number;
  kind: NotificationKind;
  session_id: string | null;
  data: ColumnType<Record<string, unknown>, string, string>;
  created_at: Generated<Date>;
  read_at: Date | null;
}

declare module '../db/database.ts' {
  interface Database {
    notifications: NotificationsTable;
  }
}
