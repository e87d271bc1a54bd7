import type { ColumnType, Generated } from 'kysely';

/** A secret before a rotation, encrypted. It signs as well until its time (ISO 8601). */
export interface EarlierSecret {
  secret: string;
  until: string;
}

/** Deliveries of events within a period that are to be sent again, one state after the other. */
export interface Recovery {
  since: string;
  until: string;
  states: string[];
  /** The last delivery of the first state that was made pending. */
  after: { created_at: string; id: string } | null;
}

export interface WebhookEndpointsTable {
  org_id: string;
  id: string;
  url: string;
  description: string | null;
  /** Empty: all. */
  event_types: string[];
  payload: 'full' | 'thin';
  ordered: boolean;
  max_per_second: number | null;
  header_names: string[];
  /** The headers as JSON, encrypted. */
  headers: string | null;
  /** Encrypted. */
  secret: string;
  /** The latest first. */
  earlier_secrets: ColumnType<EarlierSecret[], string | undefined, string>;
  enabled: boolean;
  disabled_because: 'by_hand' | 'gone' | 'failing' | null;
  disabled_at: Date | null;
  /** The number of failures since the last success. */
  failures: Generated<number>;
  failing_since: Date | null;
  last_failed_at: Date | null;
  /** While others wait after many failures: when the next single try may go. */
  probe_at: Date | null;
  /** With `max_per_second`: when the next request may go. */
  next_slot_at: Date | null;
  /** A sender works, or comes back by itself: it needs no signal. */
  is_sending: Generated<boolean>;
  /** Recoveries that are not finished, the oldest first. */
  recoveries: ColumnType<Recovery[], string | undefined, string>;
  deleted_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** The last number of a session's deliveries to an endpoint. */
export interface WebhookSequencesTable {
  org_id: string;
  endpoint_id: string;
  session_id: string;
  last: number;
}

export interface WebhookDeliveriesTable {
  org_id: string;
  id: string;
  endpoint_id: string;
  /** The same at all endpoints. */
  event_id: string;
  event_type: string;
  occurred_at: Date;
  session_id: string | null;
  sequence: number | null;
  data: ColumnType<Record<string, unknown>, string, string>;
  status: 'pending' | 'retrying' | 'delivered' | 'failed' | 'held';
  attempts: Generated<number>;
  /** The attempts since it was last made pending. The schedule of retries counts these. */
  round_attempts: Generated<number>;
  next_attempt_at: Date | null;
  /** When its data was last redacted. */
  redacted_at: Generated<Date | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface WebhookAttemptsTable {
  org_id: string;
  delivery_id: string;
  number: number;
  at: Date;
  status: number | null;
  duration_ms: number;
  answer: string | null;
  error: string | null;
  next_attempt_at: Date | null;
}

declare module '../db/database.ts' {
  interface Database {
    webhook_endpoints: WebhookEndpointsTable;
    webhook_sequences: WebhookSequencesTable;
    webhook_deliveries: WebhookDeliveriesTable;
    webhook_attempts: WebhookAttemptsTable;
  }
}
