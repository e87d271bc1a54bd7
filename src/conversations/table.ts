import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { SessionChannel } from '../schemas/parts.ts';
import type { AiState, SessionStatus, TicketingSystem } from './sessions/schema.ts';

export type SlaMetric = 'first_reply' | 'next_reply' | 'resolution';

export type WaitingOn = 'customers' | 'human_agents';

export interface Handoff {
  summary: string | null;
  /** The author of the summary: `extractive-1`, or a model. */
  summary_by?: string | null;
  sentiment: string | null;
  reason: string | null;
  /** ISO 8601. */
  at: string;
  state: 'pending' | 'partial' | 'done';
  /** The ticketing system it began in. It stays there. Absent until then. */
  target?: 'crm' | 'miaw';
  /** The progress of each part in the ticketing system. */
  parts?: HandoffPartStatus[];
  /** The condition it waits for before it can begin, and the remedy. */
  waits_for?: string;
  /** Why nothing is handed over. */
  note?: string;
}

export interface HandoffPartStatus {
  part: string;
  state: 'pending' | 'running' | 'parked' | 'done' | 'skipped' | 'failed' | 'settled';
  external_id: string | null;
  error: string | null;
  attempts: number;
  /** ISO 8601. */
  next_try_at: string | null;
}

type Json<T> = ColumnType<T, string | undefined, string>;
type JsonOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>;

export interface SessionsTable {
  org_id: string;
  id: string;
  /** Counts from 1 in the org, without gaps. */
  ticket_number: number;
  /** Null once the contact is deleted. */
  contact_id: string | null;
  channel: SessionChannel;
  status: Generated<SessionStatus>;
  /** One of the org's own statuses. It replaces `status` in filters. */
  custom_status_id: number | null;
  /** The number of the status in the API: 0 open, 1 closed_resolved, 2 closed_unresolved, or the custom status. */
  status_code: GeneratedAlways<number>;
  ai_closure_type: 'assumed_resolved' | 'handed_off' | 'resolved' | null;
  sentiment: 'angry' | 'happy' | 'neutral' | null;
  assist_mode: Generated<boolean>;
  ai_state: Generated<AiState>;
  /** The `seq` of the last event before the part of the conversation known to the AI. */
  ai_context_seq: Generated<number>;
  verified: boolean | null;
  waiting_on: WaitingOn | null;
  language: string | null;
  assignee_id: number | null;
  team_id: string | null;
  /**
   * The time of entering its team's queue. The session keeps its position while it is assigned. Null: it is not
   * assigned automatically.
   */
  queued_at: Date | null;
  custom_data: Json<Record<string, string>>;
  editable_custom_data: Json<Record<string, string>>;
  summary: string | null;
  /** The author of the summary: `extractive-1`, or a model. Null: people, or there is none. */
  summary_by: string | null;
  handoff: JsonOrNull<Handoff>;
  ticketing_system: JsonOrNull<TicketingSystem>;
  /**
   * The side of the conversation served by another system, or both, each by its own system. Messages of the other side
   * are sent to it.
   */
  relayed_side: 'customer' | 'agents' | 'both' | null;
  /** Given since the session was last opened. */
  session_closed_payload: JsonOrNull<unknown>;
  /** Whether an SLA policy is assigned to it, or was until its policy was deleted. */
  has_sla: Generated<boolean>;
  closed_at: Date | null;
  /** The next due target of its SLA clocks. Null: no clock runs towards one. */
  sla_metric: SlaMetric | null;
  sla_due_at: Date | null;
  sla_warning_at: Date | null;
  /** When it was put aside. Null: it is not snoozed. */
  snoozed_at: Date | null;
  /** When its snooze ends. Null: not before the contact writes, or it is not snoozed. */
  snoozed_until: Date | null;
  contact_messages: Generated<number>;
  ai_messages: Generated<number>;
  /** The messages of the org's people. */
  agent_messages: Generated<number>;
  first_contact_message_at: Date | null;
  first_ai_message_at: Date | null;
  first_agent_message_at: Date | null;
  first_handoff_at: Date | null;
  /** The number of resolutions. */
  resolutions: Generated<number>;
  /** Whether integrations are to follow its latest resolution. */
  reflects_resolution: Generated<boolean>;
  /** The number of handoffs. It is the number of the current one too, if there is one. */
  handoffs: Generated<number>;
  /** The `seq` of its last event. */
  last_seq: Generated<number>;
  /** The `seq` of the contact's last message, or 0. */
  last_contact_seq: Generated<number>;
  /** The `xid` of its last event. */
  last_event_xid: Generated<string>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  last_message_at: Date | null;
  /** The `seq` of its last message, or 0. Messages of sequences do not count. */
  last_message_seq: Generated<number>;
  /** Since when the contact of an open session waits for a reply. */
  waiting_since: Date | null;
  /**
   * When somebody last wrote in it, or when it was reopened. Messages of workflows and sequences do not count. Null: since
   * its last message or its creation.
   */
  active_at: Date | null;
  /** Length of the chain of workflow runs behind its activity then. */
  active_depth: Generated<number>;
}

export interface TicketCountersTable {
  org_id: string;
  last_number: number;
}

export interface SessionTagsTable {
  org_id: string;
  session_id: string;
  tag_key: string;
  /** Whether it was applied automatically, and nobody has confirmed it. */
  is_auto: Generated<boolean>;
}

/** How far a member has read a session. */
export interface SessionReadsTable {
  org_id: string;
  session_id: string;
  user_id: number;
  /** The `seq` of the last event read. */
  read_seq: number;
  /** Whether the member wants it to count as unread all the same. */
  is_unread: Generated<boolean>;
}

declare module '../db/database.ts' {
  interface Database {
    session_reads: SessionReadsTable;
    session_tags: SessionTagsTable;
    sessions: SessionsTable;
    ticket_counters: TicketCountersTable;
  }
}
