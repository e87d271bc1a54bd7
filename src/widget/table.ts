import type { ColumnType, Generated } from 'kysely';

export interface WidgetVisitorsTable {
  org_id: string;
  id: string;
  /** Null for the second visitor of a kind that a contact has by a merge. */
  contact_id: string | null;
  /** The contact, where `contact_id` is null. */
  merged_contact_id: string | null;
  /** Whether the org verified the visitor's identity. */
  is_verified: boolean;
  avatar_url: string | null;
  language: string | null;
  chat_context: string | null;
  created_at: Generated<Date>;
}

export interface WidgetSessionsTable {
  org_id: string;
  session_id: string;
  /** The visitor who opened the session. */
  visitor_id: string | null;
  /** Attributes of the session set by the widget. */
  attributes: ColumnType<Record<string, string>, string | undefined, string>;
  /** The place in the history up to which the visitor has read it. */
  read_seq: number | null;
}

export interface WidgetSettingsTable {
  org_id: string;
  settings: ColumnType<unknown, string, string>;
  updated_at: Generated<Date>;
}

export interface WidgetMessagesTable {
  org_id: string;
  session_id: string;
  /** The message's id in the widget. */
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
    widget_settings: WidgetSettingsTable;
    widget_visitors: WidgetVisitorsTable;
    widget_votes: WidgetVotesTable;
  }
}
