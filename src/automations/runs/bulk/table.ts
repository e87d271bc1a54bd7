import type { ColumnType, Generated } from 'kysely';
import type { RunAction } from './schema.ts';

/** One action for many runs. */
export interface RunJobsTable {
  org_id: string;
  id: string;
  /** The member who asked for it. Null for an API key, and once the membership has ended. */
  user_id: number | null;
  /** The key or the session of the request. */
  caller_id: string;
  action: ColumnType<RunAction, string, never>;
  state: Generated<'running' | 'done'>;
  total: number;
  done: Generated<number>;
  /** How many of those done were refused. */
  failed: Generated<number>;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

export interface RunJobItemsTable {
  org_id: string;
  job_id: string;
  run_id: string;
  /** Why the action was refused. */
  error: string | null;
  is_done: Generated<boolean>;
}

declare module '../../../db/database.ts' {
  interface Database {
    run_job_items: RunJobItemsTable;
    run_jobs: RunJobsTable;
  }
}
