/** A channel whose threads are sessions. */
export type ThreadChannel = 'slack';

/** Which session a thread in another system is. */
export interface SessionThreadsTable {
  org_id: string;
  channel: ThreadChannel;
  /** Where the thread is, as messages are sent there. */
  thread: string;
  session_id: string;
}

declare module '../../db/database.ts' {
  interface Database {
    session_threads: SessionThreadsTable;
  }
}
