import type { ColumnType, Generated } from 'kysely';

type Json<T> = ColumnType<T, string | undefined, string>;

/** One request body posted by a CRM, unchanged but compressed. */
export interface CrmBatchesTable {
  org_id: string;
  id: string;
  /** Raw DEFLATE (RFC 1951). */
  body: Buffer;
  /** The number of elements parsed as events. */
  events: number;
  /** The number of elements of unsupported types. */
  unsupported: number;
  malformed: number;
  received_at: Generated<Date>;
}

export type CrmEventState = 'queued' | 'done' | 'skipped' | 'failed';

/** The values stored from an event, beside the columns. */
export interface CrmEventPayload {
  message_id?: string;
  message_type?: string;
  property_name?: string;
  property_value?: string;
}

export interface CrmEventsTable {
  org_id: string;
  /** The same for every delivery of an event. */
  dedupe_key: string;
  id: Generated<number>;
  batch_id: string;
  /** `thread/{id}`, `ticket/{id}` or `notes`: events of one queue are processed one at a time. */
  queue: string;
  type: string;
  object_id: string;
  occurred_at: Date;
  payload: Json<CrmEventPayload>;
  state: Generated<CrmEventState>;
  /** Why it was skipped or failed, or which outage of the CRM it waits for while it is queued. */
  reason: string | null;
  /** The earliest time of processing: an e-mail waits for signatures and drafts. */
  not_before: Date | null;
  created_at: Generated<Date>;
  settled_at: Date | null;
}

declare module '../../db/database.ts' {
  interface Database {
    crm_batches: CrmBatchesTable;
    crm_events: CrmEventsTable;
  }
}
