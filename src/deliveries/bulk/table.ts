import type { Generated } from 'kysely';

/** One decision about many deliveries without a known outcome. */
export interface DeliveryJobsTable {
  org_id: string;
  id: string;
  /** The member who asked for it. Null for an API key, and once the membership has ended. */
  user_id: number | null;
  outcome: 'sent' | 'failed';
  state: Generated<'running' | 'done'>;
  total: number;
  done: Generated<number>;
  /** How many of those done had a known outcome by then. */
  failed: Generated<number>;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

export interface DeliveryJobItemsTable {
  org_id: string;
  job_id: string;
  delivery_id: string;
  /** Why it was left as it is. */
  error: string | null;
  is_done: Generated<boolean>;
}

declare module '../../db/database.ts' {
  interface Database {
    delivery_job_items: DeliveryJobItemsTable;
    delivery_jobs: DeliveryJobsTable;
  }
}
