import { sql } from 'kysely';
import type { Trx } from '../db/connect.ts';
import { afterCommit } from '../db/transaction.ts';
import { wakeRelay } from './wake.ts';

/** What can happen that others may want to know of, with what they need beside the subject's id. */
export interface EventPayloads {
  'contact-created': Record<string, never>;
  /** `before` is the contact's row as it was, so that "changed into a filter" can be told from "was in it already". */
  'contact-updated': { before: object };
  'contact-deleted': Record<string, never>;
  'contact-replied': { channel: string };
  'ticket-created': Record<string, never>;
  'ticket-reassigned': Assignment & { before: Assignment };
  /** `reflects`: whether integrations are to follow. */
  'ticket-resolved': { reflects: boolean };
  /** `isExternal`: whoever told of it has it already. The handoff itself follows once the workflows that run before it have ended. */
  'pre-ticket-handoff': { isExternal: boolean };
  'ticket-handoff': { isExternal: boolean };
  /** Another system speaks for a side of the session, and somebody said what has to go there. */
  'message-relayed': { message_id: string; to: 'customer' | 'agents' };
  /** Of a session: the texts of a message, or of all of it, are to be nowhere any more. */
  'session-redacted': { message_id: string | null };
  /** Of a session: texts of its ticket are to be taken out of what the CRM posted behind `after`. */
  'ticket-texts-redacted': { after: { at: string; id: string } | null };
  /** Of the org as its own subject: settings or credentials of a connection were replaced. */
  'integration-changed': { kind: string };
  /** Of a batch that a CRM posted: it holds something new. */
  'crm-events-received': Record<string, never>;
  /** Of a customer's workflow: another version is active now, or none. */
  'workflow-changed': Record<string, never>;
  'ticket-tag-added': { tag_name: string };
  /** Of a session: nobody spoke for so long. `workflow_id` is the customer's workflow that asks for it. */
  'ticket-inactive': { workflow_id: string; inactive_minutes: number; since: string };
  /** Of a sequence: contacts' last steps are done. */
  'sequence-completed': { enrollments: { id: string; contact_id: string }[] };
  'phone-call-started': CallMoment;
  'phone-call-finished': CallMoment;
  'voice-call-transferred': CallMoment;
  'pre-voice-call-transfer': CallMoment;
  'csat-score-submit': { score_id: string; score: number };
  'sla-first-reply-warning': SlaMoment;
  'sla-first-reply-breached': SlaMoment;
  'sla-next-reply-warning': SlaMoment;
  'sla-next-reply-breached': SlaMoment;
  'sla-resolution-warning': SlaMoment;
  'sla-resolution-breached': SlaMoment;
  /** Of a policy: its open sessions behind `after` are to be looked at. */
  'sla-policy-changed': { after: string | null };
  /** Of the org as its own subject: its open sessions behind `after` may be under other policies now. */
  'sla-assignments-changed': { after: string | null };
  'sla-session-changed': Record<string, never>;
  'office-hours-changed': Record<string, never>;
  /** Of a session under an SLA policy: a message, a handoff, or another status. */
  'session-activity': Record<string, never>;
  /** Of the org as its own subject: the settings that say when messages may go out. */
  'sending-settings-changed': Record<string, never>;
  /** Of the org as its own subject: a member may be free for a session that waits. */
  'staffing-changed': Record<string, never>;
}
interface SlaMoment {
  policy_id: string;
  metric: string;
  /** Counts the next replies of a session from 1. */
  cycle: number;
  target_seconds: number;
  /** ISO 8601. */
  due_at: string | null;
}
/** Of a delivery: what the voice provider reports of the call that it is. */
interface CallMoment {
  contact_id: string | null;
  session_id: string | null;
  call: object;
}
interface Assignment {
  assignee_id: number | null;
  team_id: string | null;
}

export type EventType = keyof EventPayloads;

export interface NewEvent<Type extends EventType> {
  subject_id: string;
  payload: EventPayloads[Type];
}

/**
 * Tells of what happened to each subject, in the transaction in which it happened. Which run of a customer's workflow caused it, the columns'
 * defaults take from the transaction.
 */
export async function announce<Type extends EventType>(
  trx: Trx,
  orgId: string,
  type: Type,
  events: NewEvent<Type>[],
): Promise<void> {
  if (events.length === 0) return;
  await sql`
    insert into outbox (org_id, kind, type, subject_id, payload)
    select ${orgId}::uuid, 'event', ${type}, subject_id, payload
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as event (subject_id uuid, payload jsonb)
  `.execute(trx);
  afterCommit(trx, wakeRelay);
}
