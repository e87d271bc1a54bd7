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
  to: string | null;
  status: DeliveryStatus;
  reason: string | null;
  provider: string | null;
  provider_id: string | null;
  attempts: Generated<number>;
  lease: string | null;
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
  /** One of its attempts was interrupted: its final status must not claim nothing was sent. */
  may_have_gone: Generated<boolean>;
  content: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  sent_at: Date | null;
}

export interface SuppressionsTable {
  org_id: string;
  id: string;
  channel: Channel;
  address: string;
  reason: string;
  created_at: Generated<Date>;
}

export interface EmailRequestsTable {
  org_id: string;
  id: string;
  from_email: string;
  due_at: Date;
  created_at: Generated<Date>;
}

export interface DeliveryCallbacksTable {
  org_id: string;
  provider: string;
  provider_id: string;
  status: string;
  delivery_id: string | null;
  reason: string | null;
  received_at: Generated<Date>;
}

export interface InboundMessagesTable {
  org_id: string;
  id: string;
  channel: Channel;
  provider: string;
  provider_id: string;
  from: string;
  to: string;
  body: string;
  contact_id: string | null;
  delivery_id: string | null;
  /** False for a mere opt-out. */
  is_reply: Generated<boolean>;
  received_at: Generated<Date>;
}

export interface SandboxOutboxTable {
  org_id: string;
  id: string;
  channel: Channel;
  to: string;
  payload: ColumnType<unknown, string, string>;
  created_at: Generated<Date>;
}

/** When each sender may send next, for senders with a limit per minute. */
export interface SenderRatesTable {
  org_id: string;
  sender: string;
  slot_at: Date;
  used: number;
}
