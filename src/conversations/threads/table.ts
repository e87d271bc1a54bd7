/** A channel with threads as sessions. */
export type ThreadChannel = 'slack';

/** The session of a thread in another system. */
export interface SessionThreadsTable {
  org_id: string;
  channel: ThreadChannel;
  /** The thread's address, in the form for sending. */
  thread: string;
  session_id: string;
}

declare module '../../db/database.ts' {
  interface Database {
    session_threads: SessionThreadsTable;
  }
}
