import type { ColumnType, Generated } from 'kysely';

type Json<T> = ColumnType<T, string | undefined, string>;

/** What a CRM posted at once, as it came. */
export interface CrmBatchesTable {
  org_id: string;
  id: string;
  /** Raw DEFLATE (RFC 1951). */
  body: Buffer;
  /** Of how many elements something can be made. */
  events: number;
  /** Of types that we do nothing about. */
  unsupported: number;
  malformed: number;
  received_at: Generated<Date>;
}

export type CrmEventState = 'queued' | 'done' | 'skipped' | 'failed';

/** What is taken out of an event's envelope beside the columns. */
export interface CrmEventPayload {
  message_id?: string;
  message_type?: string;
  property_name?: string;
  property_value?: string;
}

export interface CrmEventsTable {
  org_id: string;
  /** The same happening has the same key, however often it is delivered. */
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
  /** Why it was skipped or failed. */
  reason: string | null;
  /** Not to be processed before: an e-mail waits for signatures and drafts. */
  not_before: Date | null;
  created_at: Generated<Date>;
  settled_at: Date | null;
}

/** Which conversation, person and ticket of the CRM a session is. */
export interface CrmLinksTable {
  org_id: string;
  session_id: string;
  thread_id: string | null;
  contact_id: string | null;
  ticket_id: string | null;
  /** When the latest message of the thread that was stored was written. */
  read_until: Date | null;
  /** When each property of the ticket that was taken over had changed, as ISO 8601 by its name. */
  property_times: Json<Record<string, string>>;
  created_at: Generated<Date>;
}

/** Messages that go to the other system; their text stands in the session's history. */
export interface CrmMessagesTable {
  org_id: string;
  /** The message's own. */
  id: string;
  session_id: string;
  /** The other system's id of it. */
  external_id: string | null;
  state: Generated<'queued' | 'sending' | 'sent' | 'skipped' | 'failed'>;
  attempts: Generated<number>;
  error: string | null;
  first_tried_at: Date | null;
  created_at: Generated<Date>;
  settled_at: Date | null;
}

export type PartState = 'pending' | 'running' | 'parked' | 'done' | 'skipped' | 'failed' | 'settled';

/** What a handoff consists of at the other system. */
export interface CrmHandoffPartsTable {
  org_id: string;
  session_id: string;
  part: string;
  position: number;
  state: Generated<PartState>;
  external_id: string | null;
  error: string | null;
  attempts: Generated<number>;
  /** Whether a try may have had its effect though nothing is known of it. */
  is_ambiguous: Generated<boolean>;
  /** Of a ticket: its session was resolved before it was made. */
  is_to_close: Generated<boolean>;
  first_tried_at: Date | null;
  last_tried_at: Date | null;
  next_try_at: Date | null;
  updated_at: Generated<Date>;
}

/** Access tokens that are in use, encrypted. */
export interface CrmTokensTable {
  org_id: string;
  /** Of which settings: a digest. Another one's token is of no use. */
  connection: string;
  sealed: string | null;
  expires_at: Date | null;
}

/** When an org may call its CRM again. */
export interface CrmBudgetsTable {
  org_id: string;
  kind: 'request' | 'search';
  next_at: Date;
}

export interface MiawConversationsTable {
  org_id: string;
  session_id: string;
  /** Made by us, so that opening it twice is opening it once. */
  conversation_id: string;
  sealed_token: string | null;
  token_expires_at: Date | null;
  opened_at: Date | null;
  /** Up to which moment the other side's entries were read. */
  read_until: Date | null;
  created_at: Generated<Date>;
}
