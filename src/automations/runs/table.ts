import type { ColumnType, Generated } from 'kysely';
import type { Json, TriggerType } from '../blocks/schema.ts';
import type { NextStep } from './contract.ts';

type Stored<T> = ColumnType<T, string, string>;

type StoredOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>;

export type RunStatus = 'idle' | 'in_progress' | 'completed' | 'failed' | 'canceled';

export type TriggerCause = 'manual' | 'automatic' | 'scheduled';

export interface AutomationRunsTable {
  org_id: string;
  id: string;
  automation_id: string;
  version_id: number;
  status: Generated<RunStatus>;
  trigger_cause: TriggerCause;
  /** Of one happening there is one run of a workflow. */
  trigger_key: string;
  trigger_output: Stored<{ [key: string]: Json }>;
  /** How many runs caused this one, one the other. */
  depth: Generated<number>;
  is_test_run: Generated<boolean>;
  /** It waits for a time or an event, and takes no place. */
  is_waiting: Generated<boolean>;
  error: string | null;
  /** What waits for its end. */
  gate_id: string | null;
  /** Where it went on when it was last retried by hand. */
  resumed_at: StoredOrNull<NextStep>;
  created_at: Generated<Date>;
  run_started_at: Date | null;
  run_ended_at: Date | null;
}

export interface AutomationStepsTable {
  org_id: string;
  run_id: string;
  /** Where in the run: the indices and branches that lead there, iterations among them. */
  place: string;
  step_id: string;
  type: string;
  name: string | null;
  status: 'in_progress' | 'waiting' | 'completed' | 'failed' | 'skipped';
  /** As it was resolved; of a wait, until when it lasts. */
  input: StoredOrNull<Json>;
  /** Given by hand for the next try. */
  changed_input: StoredOrNull<Json>;
  output: StoredOrNull<Json>;
  error: string | null;
  attempts: Generated<number>;
  started_at: Generated<Date>;
  ended_at: Date | null;
}

/** Runs that wait, or may come to wait, for events of a type. */
export interface AutomationListenersTable {
  org_id: string;
  run_id: string;
  trigger_type: TriggerType;
}

/** What runs that listen have heard. */
export interface AutomationHeardTable {
  org_id: string;
  run_id: string;
  event_id: string;
  trigger_type: TriggerType;
  output: Stored<{ [key: string]: Json }>;
  /** One event ends one wait. */
  is_taken: Generated<boolean>;
  heard_at: Generated<Date>;
}

/** Who had a run go on that had failed. */
export interface AutomationRetriesTable {
  org_id: string;
  id: string;
  run_id: string;
  place: string;
  step_id: string;
  is_skip: boolean;
  is_input_changed: boolean;
  reason: string | null;
  api_key_id: string;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    automation_heard: AutomationHeardTable;
    automation_listeners: AutomationListenersTable;
    automation_retries: AutomationRetriesTable;
    automation_runs: AutomationRunsTable;
    automation_steps: AutomationStepsTable;
  }
}
