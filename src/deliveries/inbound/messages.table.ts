import type { Generated } from 'kysely';
import type { Channel } from '../contract.ts';

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

declare module '../../db/database.ts' {
  interface Database {
    inbound_messages: InboundMessagesTable;
  }
}
