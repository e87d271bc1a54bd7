import type { Generated } from 'kysely';

export interface EnrollmentsTable {
  org_id: string;
  id: string;
  sequence_id: string;
  /** Null for an enrollment that ended because its contact was merged into one with another enrollment. */
  contact_id: string | null;
  /** The contact, where `contact_id` is null. */
  merged_contact_id: string | null;
  run_id: string | null;
  status: Generated<'active' | 'complete' | 'canceled' | 'exited'>;
  exit_reason: string | null;
  last_step_id: string | null;
  anchor_at: Generated<Date>;
  held_until: Date | null;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

declare module '../../db/database.ts' {
  interface Database {
    enrollments: EnrollmentsTable;
  }
}
