import type { Generated } from 'kysely';

export type PartState = 'pending' | 'running' | 'parked' | 'done' | 'skipped' | 'failed' | 'settled';

/** What a handoff consists of at the other system. */
export interface CrmHandoffPartsTable {
  org_id: string;
  session_id: string;
  part: string;
  position: number;
  state: Generated<PartState>;
  external_id: string | null;
  error: string | null;
  attempts: Generated<number>;
  /** Whether a try may have had its effect though nothing is known of it. */
  is_ambiguous: Generated<boolean>;
  /** Of a ticket: its session was resolved before it was made. */
  is_to_close: Generated<boolean>;
  first_tried_at: Date | null;
  last_tried_at: Date | null;
  next_try_at: Date | null;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    crm_handoff_parts: CrmHandoffPartsTable;
  }
}
