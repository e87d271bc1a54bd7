/** The types of events, each with its payload in addition to the subject's id. */
export interface EventPayloads {
  'contact-created': Record<string, never>;
  /**
   * `before` is the contact's previous row. It distinguishes a contact that newly matches a filter from one that
   * matched before.
   */
  'contact-updated': { before: object };
  'contact-deleted': Record<string, never>;
  /** Subject: a contact. Another one was merged into it. */
  'contact-merged': { absorbed_id: string };
  'contact-replied': { channel: string };
  'ticket-created': OfSession;
  'ticket-reassigned': OfSession & Assignment & { before: Assignment };
  /**
   * `reflects`: whether integrations are to follow. `summarizes`: whether the session got a summary. `closing_id`: the
   * event of the history that has the payload of this closing.
   */
  'ticket-resolved': OfSession & { reflects: boolean; summarizes?: true; closing_id: string };
  /** `reflects`: as of ticket-resolved. */
  'ticket-reopened': { reflects: boolean };
  /** The handoff itself follows once the workflows before it have ended. */
  'pre-ticket-handoff': HandoffMoment;
  'ticket-handoff': HandoffMoment;
  /** Subject: a session. A message was stored in it. Other systems' automatic messages are of `workflow` or `sequence`. */
  'message-created': {
    message_id: string;
    sender: 'contact' | 'ai' | 'human_agent' | 'system' | 'workflow' | 'sequence';
  };
  /**
   * Subject: a session. Its contact has edited or deleted a message. `change_id` is the event of this in the history. Not
   * announced for messages of blocked contacts.
   */
  'message-changed': { message_id: string; change_id: string; change: 'edited' | 'deleted' };
  /** Subject: a session in Assist Mode. The AI has written a draft of a reply. */
  'ai-draft-created': { message_id: string };
  /** Subject: a session. A message of its contact has one of the org's prohibited topics. */
  'prohibited-topic-detected': OfSession & { message_id: string; topic: string };
  /** Subject: the org itself. Autopilot was turned on for a channel where it was off. */
  'autopilot-turned-on': Record<string, never>;
  /** Subject: the org itself. Passages of these items are new, have changed or are gone. */
  'knowledge-changed': { item_ids: string[] };
  /** Subject: an item of the knowledge. Passages that the AI's answers cite are no longer there; `turns` counts the answers. */
  'cited-page-changed': { item_id: string; url: string | null; turns: number };
  /** Subject: a session. The AI has called a customer's workflow: its run has the id of the call. */
  'workflow-called': { call_id: string; workflow_id: string };
  /** A message for another system, responsible for the customer's or the agents' side of the session. */
  'message-relayed': { message_id: string; to: 'customer' | 'agents' };
  /** Subject: a session. The texts of one message, or of all its messages, must be removed everywhere. */
  'session-redacted': { message_id: string | null };
  /** Subject: a session. Texts of its ticket must be removed from the CRM's events after the position `after`. */
  'ticket-texts-redacted': { after: { at: string; id: string } | null };
  /** Subject: the org itself. Settings or credentials of a connection were replaced. */
  'integration-changed': { kind: string };
  /** Subject: the org itself. A connection was removed. */
  'integration-deleted': { kind: string };
  /** Subject: a batch posted by a CRM. It contains new events. */
  'crm-events-received': Record<string, never>;
  /** Subject: a customer's workflow. Another version is active now, or none. */
  'workflow-changed': Record<string, never>;
  'ticket-tag-added': OfSession & { tag_name: string };
  /** Subject: a session without messages for this time. `workflow_id` is the customer's workflow with this trigger. */
  'ticket-inactive': { workflow_id: string; inactive_minutes: number; since: string };
  /** Subject: a sequence. Contacts have completed its last step. */
  'sequence-completed': { enrollments: { id: string; contact_id: string }[] };
  'phone-call-started': CallMoment;
  'phone-call-finished': CallMoment;
  'voice-call-transferred': CallMoment;
  'pre-voice-call-transfer': CallMoment;
  'csat-score-submit': OfSession & { score_id: string; score: number };
  'sla-first-reply-warning': SlaMoment;
  'sla-first-reply-breached': SlaMoment;
  'sla-next-reply-warning': SlaMoment;
  'sla-next-reply-breached': SlaMoment;
  'sla-resolution-warning': SlaMoment;
  'sla-resolution-breached': SlaMoment;
  /** Subject: an SLA policy. Its open sessions after `after` must be re-evaluated. */
  'sla-policy-changed': { after: string | null };
  /**
   * Subject: the org itself. Other policies may apply now to its open sessions after `after`. `since` is the time (ISO
   * 8601) of the event that this one goes on with.
   */
  'sla-assignments-changed': { after: string | null; by?: SlaCondition; since?: string };
  /** Subject: a session. Its data, a tag or its contact has changed: another policy may apply. */
  'sla-session-changed': Record<string, never>;
  'office-hours-changed': Record<string, never>;
  /** Of a session under an SLA policy: a message, a handoff, or another status. */
  'session-activity': Record<string, never>;
  /** Subject: the org itself. Sessions are handed over to another system now, or to none. */
  'handoff-target-changed': Record<string, never>;
  /** Subject: the org itself. The settings for sending times have changed. */
  'sending-settings-changed': Record<string, never>;
  /** Subject: a session. It was closed. */
  'ticket-closed': { status: 'closed_resolved' | 'closed_unresolved' };
  /** Subject: a session. Its contact was asked for a score, by this event of the history. Earlier versions named none. */
  'csat-requested': { request_id?: string };
  /** Subject: a delivery. It reached this milestone. */
  'delivery-changed': { milestone: 'sent' | 'delivered' | 'failed' | 'unknown' };
  /** Subject: a session. The outcome of a call of the AI there. */
  'ai-call-changed': { call_id: string; milestone: 'confirmation_requested' | 'called' | 'unknown' };
  /** Subject: the org itself. Its models have used 80 % of a budget, or all of it. Announced once in a period. */
  'ai-budget-reached': {
    level: 'warning' | 'exhausted';
    budget: 'day' | 'month';
    period: string;
    spent: { tokens: number; cost: number };
    allowance: { tokens: number | null; cost: number | null };
  };
  /** Subject: a run of a customer's workflow. */
  'workflow-run-ended': { status: 'completed' | 'failed' };
  /** Subject: a crawl of a website. It has ended. */
  'crawl-finished': { datasource_id: string };
  /** Subject: an endpoint of webhooks. It accepted nothing for too long, or said that it is gone. */
  'webhook-disabled': { because: 'gone' | 'failing' };
  /** Subject: the org itself. An agent may be free for a waiting session. */
  'staffing-changed': Record<string, never>;
  /** Subject: the org itself. It has other categories of insights. */
  'insight-categories-changed': Record<string, never>;
  /** Subject: an insight. It occurred for the first time. */
  'insight-created': { session_id: string };
  /** Subject: an insight. It occurred again after it had been resolved. */
  'insight-reopened': { session_id: string };
  'insight-resolved': Record<string, never>;
  /** Subject: an insight. A text that it was made of is redacted: its name now replaces all stored copies of former ones. */
  'insight-redacted': Record<string, never>;
}
type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/**
 * The state of a session at an event, without texts: they are redacted where they are stored. It is in the words of the
 * API.
 */
export interface SessionState {
  status: 'open' | 'closed_resolved' | 'closed_unresolved';
  custom_status_id: number | null;
  ai_closure_type: 'assumed_resolved' | 'handed_off' | 'resolved' | null;
  waiting_on: 'customers' | 'human_agents' | null;
  assignee_id: number | null;
  team: { id: string; name: string } | null;
  tags: string[];
  handoff: { at: string; state: 'pending' | 'partial' | 'done' } | null;
}
/** An event whose subject is a session. `announceWithState` adds the state it then has. */
interface OfSession {
  session?: SessionState | null;
}

interface HandoffMoment extends OfSession {
  /** Whether the reporting system already has the handoff. */
  isExternal: boolean;
  /** Counts the handoffs of a session from 1. */
  n: number;
}

/** What of a session's surroundings has changed, for policies that ask for it. */
export type SlaCondition = 'tags' | 'teams' | 'segments';

interface SlaMoment extends OfSession {
  policy_id: string;
  metric: string;
  /** Counts the next replies of a session from 1. */
  cycle: number;
  target_seconds: number;
  /** ISO 8601. */
  due_at: string | null;
}
/** Subject: a delivery by voice. `call` is the voice provider's report. */
interface CallMoment {
  contact_id: string | null;
  session_id: string | null;
  call: { [key: string]: JsonValue };
}
interface Assignment {
  assignee_id: number | null;
  team_id: string | null;
}

export type EventType = keyof EventPayloads;

/** The types of events that are announced only where somebody waits for them. */
export const SUBSCRIBER_EVENTS: ReadonlySet<EventType> = new Set<EventType>([
  'contact-merged',
  'ticket-closed',
  'delivery-changed',
  'ai-call-changed',
  'ai-budget-reached',
  'workflow-run-ended',
  'crawl-finished',
]);

/** The types of events that tell the state of their session. */
export type SessionEventType = {
  [Type in EventType]: string extends keyof EventPayloads[Type]
    ? never
    : 'session' extends keyof EventPayloads[Type]
      ? Type
      : never;
}[EventType];

export interface NewEvent<Type extends EventType> {
  subject_id: string;
  payload: EventPayloads[Type];
}

/** An event to announce. */
export type Announcement = { [Type in EventType]: NewEvent<Type> & { type: Type } }[EventType];

/** An event to announce with the state of its session. */
export type SessionAnnouncement = Extract<Announcement, { type: SessionEventType }>;
