import type { ColumnType, Generated } from 'kysely';
import type { ContactFilter } from '../contacts/filters/schema.ts';
import type { Gates } from './gates/schema.ts';

export type SequenceStatus = 'pending' | 'active' | 'paused' | 'complete' | 'canceled';

export interface SequencesTable {
  org_id: string;
  id: string;
  name: string;
  custom_id: string | null;
  is_continuous: boolean;
  filter: ColumnType<ContactFilter | null, string | null, string | null>;
  status: SequenceStatus;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  started_at: Date | null;
  paused_at: Date | null;
  canceled_at: Date | null;
  ended_at: Date | null;
  paused_reason: string | null;
  gates: ColumnType<Gates, string | undefined, string>;
  /** The number of changes, to it or its dependencies, since its enrollments were last reconciled. */
  changes_to_apply: Generated<number>;
  /** Its limit of sends a minute has changed: waiting sends must reserve new slots. */
  has_stale_turns: Generated<boolean>;
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

/** The latest attempt at sending what is due of a sequence. */
export interface SequenceAttemptsTable {
  org_id: string;
  sequence_id: string;
  /** The id stored in the rows it has claimed. */
  lease: string;
  /** No send that it has claimed ahead at a later position has begun. */
  begun_through: Generated<number>;
}

declare module '../db/database.ts' {
  interface Database {
    sequence_attempts: SequenceAttemptsTable;
    sequence_runs: SequenceRunsTable;
    sequence_steps: SequenceStepsTable;
    sequences: SequencesTable;
  }
}
