import type { Generated } from 'kysely';

/** Sessions by e-mail of earlier versions, whose messages are still to be read for their own words. */
export interface UnreadMailSessionsTable {
  org_id: string;
  session_id: string;
  /** The `seq` up to which they are read. */
  read_seq: Generated<number>;
}

declare module '../../db/database.ts' {
  interface Database {
    unread_mail_sessions: UnreadMailSessionsTable;
  }
}
