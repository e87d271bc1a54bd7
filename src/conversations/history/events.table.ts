import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { EventType, Sender } from './events.schema.ts';

/** What happened in a session, messages among the rest. */
export interface SessionEventsTable {
  org_id: string;
  session_id: string;
  /** Rises in the order of commits. */
  seq: number;
  id: string;
  type: EventType;
  /** Of a message. */
  sender: Sender | null;
  /** Text that people wrote: of a message or a comment. */
  content: string | null;
  data: ColumnType<Record<string, unknown>, string | undefined, string>;
  /** The session's, where it is known: the stems of its words are searched too. */
  language: Generated<string | null>;
  /** What is searched of `content`: null as soon as that is. */
  search: GeneratedAlways<string | null>;
  created_at: Generated<Date>;
  /** The transaction that wrote it, or a later one that wrote an event before it in the session, as text. Never falls in a session. */
  xid: Generated<string>;
}

declare module '../../db/database.ts' {
  interface Database {
    session_events: SessionEventsTable;
  }
}
