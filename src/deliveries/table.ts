import type { ColumnType, Generated } from 'kysely';
import type { Channel, DeliveryStatus } from './contract.ts';

export interface DeliveriesTable {
  org_id: string;
  id: string;
  channel: Channel;
  sequence_id: string | null;
  enrollment_id: string | null;
  step_id: string | null;
  email_request_id: string | null;
  contact_id: string | null;
  to: string | null;
  status: DeliveryStatus;
  reason: string | null;
  provider: string | null;
  provider_id: string | null;
  attempts: Generated<number>;
  lease: string | null;
  not_before: Date | null;
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
