import type { ColumnType, Generated } from 'kysely';
import type { StoredAction } from './schema.ts';

/** One action for many sessions. */
export interface SessionJobsTable {
  org_id: string;
  id: string;
  /** The member behind the request. Null for an API key, and once the membership has ended. */
  user_id: number | null;
  action: ColumnType<StoredAction, string, never>;
  state: Generated<'running' | 'done'>;
  total: number;
  done: Generated<number>;
  /** How many of those done were refused. */
  failed: Generated<number>;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

export interface SessionJobItemsTable {
  org_id: string;
  job_id: string;
  session_id: string;
  /** Why the action was refused. */
  error: string | null;
  is_done: Generated<boolean>;
}

declare module '../../db/database.ts' {
  interface Database {
    session_job_items: SessionJobItemsTable;
    session_jobs: SessionJobsTable;
  }
}
