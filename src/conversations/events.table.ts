import type { ColumnType, Generated } from 'kysely';
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
  created_at: Generated<Date>;
  /** The transaction that wrote it, as text. */
  xid: Generated<string>;
}
