import type { ColumnType, Generated } from 'kysely';
import type { StepForecast } from './rules.ts';

/** A step's forecast as JSON. */
export type StoredStep = Omit<StepForecast, 'at' | 'last_at' | 'hours'> & {
  at: string | null;
  last_at: string | null;
  hours?: { at: string; recipients: number }[];
};

/** The forecast of a large sequence. */
export interface SequenceForecastsTable {
  org_id: string;
  id: string;
  sequence_id: string;
  state: ColumnType<'in_progress' | 'done' | 'failed', never, 'done' | 'failed'>;
  contacts_done: Generated<number>;
  contacts: number;
  /** As JSON. */
  steps: ColumnType<StoredStep[] | null, never, string>;
  error: string | null;
  created_at: Generated<Date>;
  ended_at: Date | null;
}

declare module '../../db/database.ts' {
  interface Database {
    sequence_forecasts: SequenceForecastsTable;
  }
}
