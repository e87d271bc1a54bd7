import type { ColumnType, Generated } from 'kysely';

export type SequenceStatus = 'pending' | 'active' | 'paused' | 'complete' | 'canceled';

export interface SequencesTable {
  org_id: string;
  id: string;
  name: string;
  custom_id: string | null;
  is_continuous: boolean;
  filter: ColumnType<unknown, string | null, string | null>;
  status: SequenceStatus;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  started_at: Date | null;
  paused_at: Date | null;
  canceled_at: Date | null;
  ended_at: Date | null;
  paused_reason: string | null;
  deleted_at: Date | null;
}

export interface SequenceStepsTable {
  org_id: string;
  id: string;
  sequence_id: string;
  position: number;
  action: ColumnType<unknown, string, string>;
  delay_in_minutes: number;
  deleted_at: Date | null;
}

export interface SequenceRunsTable {
  org_id: string;
  id: string;
  sequence_id: string;
  enrolled_through: string | null;
  is_enrolled: boolean;
  created_at: Generated<Date>;
  canceled_at: Date | null;
}

export interface EnrollmentsTable {
  org_id: string;
  id: string;
  sequence_id: string;
  contact_id: string;
  run_id: string | null;
  status: Generated<'active' | 'complete' | 'canceled'>;
  last_step_id: string | null;
  anchor_at: Generated<Date>;
  held_until: Date | null;
  created_at: Generated<Date>;
  ended_at: Date | null;
}
