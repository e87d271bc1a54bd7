import type { ColumnType, Generated } from 'kysely';

export interface OutboxTable {
  id: Generated<number>;
  org_id: string;
  kind: 'event' | 'start' | 'signal';
  type: string;
  subject_id: string;
  workflow_id: string | null;
  task_queue: string | null;
  signal: string | null;
  summary: string | null;
  payload: ColumnType<Record<string, unknown>, string, string>;
  causation: string | null;
  depth: Generated<number>;
  /** The traceparent (W3C Trace Context) of what has written it. */
  trace: string | null;
  /** The id of the request that it follows from. */
  request_id: string | null;
  attempts: Generated<number>;
  /** The number of processes that ended while they handled only this event. 1 after the end of a batch with several. */
  interruptions: Generated<number>;
  last_error: string | null;
  /** Of a command: nobody waits for it. */
  is_deferrable: Generated<boolean>;
  available_at: Generated<Date>;
  created_at: Generated<Date>;
}

/** Work that a workflow is to do, until it is done. */
export interface DueWorkTable {
  id: Generated<number>;
  org_id: string;
  kind: 'sla' | 'assignment' | 'embedding' | 'insight-extraction';
  /** A session, or the org itself. */
  subject_id: string;
  /** Tells occurrences of one subject apart. 0 where there is one. */
  number: Generated<number>;
  /** Whether the workflow is at it. */
  is_begun: Generated<boolean>;
}

/** The events that a relay is expanding. */
export interface OutboxClaimsTable {
  id: Generated<number>;
  org_id: string;
  event_ids: number[];
  created_at: Generated<Date>;
  backend_pid: number;
  server_started_at: Generated<Date>;
}

/** The types of events that somebody waits for. */
export interface EventSubscriptionsTable {
  org_id: string;
  type: string;
}

declare module '../db/database.ts' {
  interface Database {
    due_work: DueWorkTable;
    outbox: OutboxTable;
    outbox_claims: OutboxClaimsTable;
    event_subscriptions: EventSubscriptionsTable;
  }
}
