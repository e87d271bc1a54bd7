import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
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
  'pre-ticket-handoff': Record<string, never>;
  'ticket-handoff': Record<string, never>;
  'ticket-tag-added': { tag_name: string };
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
interface Assignment {
  assignee_id: number | null;
  team_id: string | null;
}

export type EventType = keyof EventPayloads;

export interface NewEvent<Type extends EventType> {
  subject_id: string;
  payload: EventPayloads[Type];
}

/** Tells of what happened to each subject, in the transaction in which it happened. */
export async function announce<Type extends EventType>(
  trx: Db,
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
