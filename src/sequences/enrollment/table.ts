import type { Generated } from 'kysely';

export interface EnrollmentsTable {
  org_id: string;
  id: string;
  sequence_id: string;
  contact_id: string;
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
