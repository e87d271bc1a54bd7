import type { ColumnType, Generated } from 'kysely';

export interface WidgetVisitorsTable {
  org_id: string;
  id: string;
  contact_id: string;
  /** Whether the org vouched for who it is. */
  is_verified: boolean;
  avatar_url: string | null;
  language: string | null;
  chat_context: string | null;
  created_at: Generated<Date>;
}

export interface WidgetSessionsTable {
  org_id: string;
  session_id: string;
  /** Who opened it. */
  visitor_id: string | null;
  /** What the widget said of the session. */
  attributes: ColumnType<Record<string, string>, string | undefined, string>;
}

export interface WidgetMessagesTable {
  org_id: string;
  session_id: string;
  /** As the widget named the message. */
  uuid: string;
  message_id: string;
}

export interface WidgetVotesTable {
  org_id: string;
  message_id: string;
  contact_id: string;
  is_up: boolean;
  updated_at: Generated<Date>;
}

declare module '../db/database.ts' {
  interface Database {
    widget_messages: WidgetMessagesTable;
    widget_sessions: WidgetSessionsTable;
    widget_visitors: WidgetVisitorsTable;
    widget_votes: WidgetVotesTable;
  }
}
