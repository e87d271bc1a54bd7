import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Actor } from '../../schemas/actor.ts';
import type { EventType, Sender } from './events.schema.ts';

/** The events of sessions, including messages. */
export interface SessionEventsTable {
  org_id: string;
  session_id: string;
  /** Increases in commit order. */
  seq: number;
  id: string;
  type: EventType;
  /** The sender of a message. */
  sender: Sender | null;
  /** The text of a message, note or CSAT comment. */
  content: string | null;
  /** The contact's own words in an e-mail, without quotations and signature. Null if they are the whole `content`. */
  own_words: Generated<string | null>;
  data: ColumnType<Record<string, unknown>, string | undefined, string>;
  /** The actor. A contact has no name here. Null for events older than this column. */
  actor: ColumnType<Actor | null, string | null | undefined, string | null>;
  /** The session's language, if known: the stems of its words are searched too. */
  language: Generated<string | null>;
  /** The search index of the own words, by a trigger. Null if `content` is null. */
  search: GeneratedAlways<string | null>;
  created_at: Generated<Date>;
  /**
   * The position of the writing transaction as text, or the higher one of an earlier event of the session. Never
   * decreases within a session.
   */
  xid: Generated<string>;
}

declare module '../../db/database.ts' {
  interface Database {
    session_events: SessionEventsTable;
  }
}
