import type { ColumnType, Generated } from 'kysely';
import type { CalibrationReport } from './rules.ts';

/** The calibration of an org's answers. Without a threshold it was only requested. */
export interface AiCalibrationsTable {
  org_id: string;
  /** The lowest confidence of an answer by a quote. */
  threshold: number | null;
  report: ColumnType<CalibrationReport | null, string | null, string | null>;
  requested_at: Generated<Date>;
  measured_at: Date | null;
  /** The share of the questions asked so far. Null: no measurement is under way. */
  progress: number | null;
  /** Why the last attempt failed. It is repeated. */
  reason: string | null;
  /** The number of passages when it was measured, and the id of the latest. */
  passages: number | null;
  last_chunk: number | null;
}

declare module '../../db/database.ts' {
  interface Database {
    ai_calibrations: AiCalibrationsTable;
  }
}
