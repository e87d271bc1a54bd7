import type { ColumnType, Generated } from 'kysely';
import type { Channel, DeliveryStatus } from './contract.ts';

/** The provider's response to one attempt. */
export interface AttemptResponse {
  attempt: number;
  at: string;
  outcome: string;
  answer: string | null;
}

export interface DeliveriesTable {
  org_id: string;
  id: string;
  channel: Channel;
  sequence_id: string | null;
  enrollment_id: string | null;
  step_id: string | null;
  email_request_id: string | null;
  contact_id: string | null;
  /** The key of the request for a message. */
  request_key: string | null;
  /** Counts single messages in the order of their requests. Null for others. */
  request_seq: number | null;
  to: string | null;
  status: DeliveryStatus;
  reason: string | null;
  provider: string | null;
  provider_id: string | null;
  attempts: Generated<number>;
  lease: string | null;
  /** Its turn among the sends that its attempt has claimed ahead. Null for one that was begun when it was claimed. */
  lease_position: number | null;
  not_before: Date | null;
  /** The address or number used as sender. */
  sender: string | null;
  /** The gate holding or skipping it. */
  gate: string | null;
  /** When its latest attempt began. */
  began_at: Date | null;
  answers: ColumnType<AttemptResponse[], string | undefined, string>;
  lookups: Generated<number>;
  look_up_at: Date | null;
  /** The outcome of one of its attempts is not known: its final status must not claim nothing was sent. */
  may_have_gone: Generated<boolean>;
  /** Its contact was deleted before it was sent: no other attempt is made. Only for sends outside of sequences. */
  contact_deleted: Generated<boolean>;
  content: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  sent_at: Date | null;
  /** Length of the chain of workflow runs that requested it. */
  depth: Generated<number>;
}

declare module '../db/database.ts' {
  interface Database {
    deliveries: DeliveriesTable;
  }
}
