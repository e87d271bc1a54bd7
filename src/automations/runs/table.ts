import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
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
  /** Unique in the workflow: each trigger event starts one run of it. */
  trigger_key: string;
  trigger_output: Stored<{ [key: string]: Json }>;
  /** Length of the chain of runs causing this one. */
  depth: Generated<number>;
  is_test_run: Generated<boolean>;
  /** The run waits for a time or an event. It does not count against the limit of active runs. */
  is_waiting: Generated<boolean>;
  /** What it waits for. */
  waits_for: 'timer' | 'event' | null;
  error: string | null;
  /** The handoff hold waiting for this run to end. */
  handoff_hold_id: string | null;
  /** The next step at the last retry by hand. */
  resumed_at: StoredOrNull<NextStep>;
  /** The batch that did its first steps, or does them. */
  batch_id: string | null;
  /** It goes on in a workflow of its own after its batch. */
  left_batch: Generated<boolean>;
  /** The process that claimed its batch does it, without a workflow. */
  is_inline: Generated<boolean>;
  /** The traceparent (W3C Trace Context) of what has started it. */
  trace: string | null;
  /** How often its texts were removed. */
  redactions: Generated<number>;
  created_at: Generated<Date>;
  run_started_at: Date | null;
  run_ended_at: Date | null;
}

export interface AutomationStepsTable {
  org_id: string;
  run_id: string;
  /** Path of the step in the run: indices and branches, including iterations. */
  path: string;
  step_id: string;
  type: string;
  name: string | null;
  status: 'in_progress' | 'waiting' | 'completed' | 'failed' | 'skipped';
  /** The resolved input; the end time for a wait. */
  input: StoredOrNull<Json>;
  /** Set by hand for the next attempt. */
  changed_input: StoredOrNull<Json>;
  /** The schemes, hosts and ports that the credentials in it were given for. */
  changed_input_origins: string[] | null;
  output: StoredOrNull<Json>;
  /** The length of input and output, as JSON. */
  characters: GeneratedAlways<number>;
  error: string | null;
  attempts: Generated<number>;
  /** When it is tried again, after an attempt that failed. */
  next_try_at: Date | null;
  started_at: Generated<Date>;
  ended_at: Date | null;
}

/** Types of events each run waits for, or may wait for at a later step. */
export interface AutomationListenersTable {
  org_id: string;
  run_id: string;
  trigger_type: TriggerType;
}

/** Events received by runs, each once. */
export interface AutomationEventsTable {
  org_id: string;
  event_id: string;
  output: Stored<{ [key: string]: Json }>;
  created_at: Generated<Date>;
}

/** Which runs received an event. */
export interface AutomationReceivedEventsTable {
  org_id: string;
  run_id: string;
  event_id: string;
  trigger_type: TriggerType;
  /** An event ends only one wait. */
  is_consumed: Generated<boolean>;
  /** The last wait that this event does not match, by the step's path. */
  checked_path: string | null;
  received_at: Generated<Date>;
}

/** Retries of failed runs by hand. */
export interface AutomationRetriesTable {
  org_id: string;
  id: string;
  run_id: string;
  path: string;
  step_id: string;
  is_skip: boolean;
  is_input_changed: boolean;
  reason: string | null;
  api_key_id: string;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    automation_events: AutomationEventsTable;
    automation_listeners: AutomationListenersTable;
    automation_received_events: AutomationReceivedEventsTable;
    automation_retries: AutomationRetriesTable;
    automation_runs: AutomationRunsTable;
    automation_steps: AutomationStepsTable;
  }
}
