import type { Trx } from '../db/connect.ts';
import { announce } from '../outbox/announcing.ts';
import type { Announcement, EventPayloads } from '../outbox/events.ts';
import { enqueue } from '../outbox/outbox.ts';
import { currentActor } from '../processes/current-work.ts';
import { type Actor, AI, CONTACT, SYSTEM } from '../schemas/actor.ts';
import { announceWithState } from './announcements.service.ts';
import { appendEvents, type NewEvent } from './events.queries.ts';
import type { EventType } from './history/events.schema.ts';
import { type LockedSession, type SessionChanges, updateSession } from './queries.ts';
import { withoutTimer } from './snooze/ending.service.ts';
import { endingOf, snoozeEnding } from './snooze-ending.service.ts';

/** A side of a conversation. */
export type Side = 'customer' | 'agents';

/** Events that start, stop or reset the SLA clocks of a session. */
const SLA_EVENTS = [
  'message',
  'status_changed',
  'handoff',
  'human_agent_takeover',
  'returned_to_ai',
] as const satisfies EventType[];
/** Events with reactions in other domains. */
type ReactiveType =
  | (typeof SLA_EVENTS)[number]
  | 'workflow_message'
  | 'sequence_message'
  | 'message_edited'
  | 'message_deleted'
  | 'tag_added'
  | 'tag_removed'
  | 'custom_data_changed'
  | 'csat_requested';
/** Events that may change a session's SLA policy. Added tags are announced by themselves. */
const POLICY_EVENTS = ['tag_removed', 'custom_data_changed'] as const satisfies ReactiveType[];

/** An event of a session's history with its consequences. */
export interface SessionEvent extends NewEvent {
  /** The side still to be reached by the message. It goes there if another system speaks for this side. */
  relayTo?: Side;
}

/** The facts of a session for its change. */
export type ChangedSession = Pick<LockedSession, 'id' | 'relayed_side' | 'has_sla' | 'snoozed_at' | 'snoozed_until'>;

interface WholeChange extends SessionChanges {
  events?: SessionEvent[];
  /** The announcements sent with the events. */
  announced?: Announcement[];
  /** Whether the ids of the events were made in this transaction. */
  areNew?: boolean;
  /** The language of the events, if they are the session's first ones. */
  firstLanguage?: string | undefined;
}

/**
 * Changes a locked session: appends events to its history, updates its row, and makes the announcements for other
 * domains: every message, and the caller's own. Messages are relayed. Tags, data and a new contact re-evaluate the SLA
 * policy. Events that move SLA clocks are announced for sessions under a policy. A message of the contact and closing
 * end a snooze. Returns false, and changes nothing, if the history already has an event of one of these ids: it can be
 * called again.
 */
export async function changeSession(
  trx: Trx,
  orgId: string,
  session: ChangedSession,
  { events: given = [], announced = [], areNew = false, firstLanguage, ...asked }: WholeChange,
): Promise<boolean> {
  const ending = endingOf(session, { ...asked, events: given });
  const { events: endings, ...awake } = ending === undefined ? { events: [] } : snoozeEnding(ending);
  const change = { ...asked, ...awake };
  const events = [...given, ...endings];
  const changed = { ...change, events };
  const announcements = [...announcementsOf(session, changed), ...announced];
  const appended = { events: events.map(rowOf), announcements, areNew, language: firstLanguage };
  if (events.length === 0) await announce(trx, orgId, announcements);
  else if (!(await appendEvents(trx, orgId, session.id, appended))) return false;
  if (Object.keys(change).length > 0) await updateSession(trx, orgId, session.id, change);
  await announceAfterwards(trx, orgId, session.id, changed);
  if (change.snoozed_at === null) await enqueue(trx, orgId, ...withoutTimer(orgId, session));
  return true;
}

/**
 * Appends events without reactions in other domains. Returns false if the history already has an event of one of these
 * ids.
 */
export const recordEvents = (
  trx: Trx,
  orgId: string,
  sessionId: string,
  events: (NewEvent & { type: Exclude<EventType, ReactiveType> })[],
): Promise<boolean> => appendEvents(trx, orgId, sessionId, { events: events.map(withActor), announcements: [] });

const rowOf = ({ relayTo, ...event }: SessionEvent): NewEvent => withActor(event);

const withActor = (event: NewEvent): NewEvent => ({ ...event, actor: event.actor ?? actorOf(event) });

/** Returns the actor of an event: the author of a message, or else the actor of the current work. */
function actorOf({ type, sender, data = {} }: NewEvent): Actor {
  const isReply = type === 'snooze_ended' && 'because' in data && data.because === 'reply';
  if (sender === 'contact' || isReply) return CONTACT;
  if (sender === 'ai' || type === 'ai_turn') return AI;
  return currentActor() ?? SYSTEM;
}

/** Returns the author of a message. Undefined for other events. */
function authorOf({ type, sender }: SessionEvent): EventPayloads['message-created']['sender'] | undefined {
  if (type === 'workflow_message') return 'workflow';
  if (type === 'sequence_message') return 'sequence';
  return type === 'message' ? sender : undefined;
}

type Change = Pick<SessionChanges, 'contact_id' | 'status'> & { events: SessionEvent[] };

/** Returns the announcements of a change without the state of its session. */
function announcementsOf(
  { id: subject_id, relayed_side, has_sla }: ChangedSession,
  { contact_id, events }: Change,
): Announcement[] {
  const seen = events.filter(isAnnounced);
  const created = seen.flatMap((event): Announcement[] => {
    const sender = authorOf(event);
    return sender === undefined
      ? []
      : [{ type: 'message-created', subject_id, payload: { message_id: event.id, sender } }];
  });
  const relayed = seen.flatMap(({ id: message_id, relayTo: to }): Announcement[] =>
    to !== undefined && (relayed_side === to || relayed_side === 'both')
      ? [{ type: 'message-relayed', subject_id, payload: { message_id, to } }]
      : [],
  );
  const announcements = [...created, ...relayed];
  if (contact_id !== undefined || seen.some(({ type }) => POLICY_EVENTS.some((one) => one === type)))
    announcements.push({ type: 'sla-session-changed', subject_id, payload: {} });
  if (has_sla && seen.some(({ type }) => SLA_EVENTS.some((moving) => moving === type)))
    announcements.push({ type: 'session-activity', subject_id, payload: {} });
  return announcements;
}

/** Announces the session's new state, and events for subscribers only. */
async function announceAfterwards(trx: Trx, orgId: string, id: string, { status, events }: Change): Promise<void> {
  const seen = events.filter(isAnnounced);
  await announceWithState(
    trx,
    orgId,
    tagsIn(seen).map((tag_name) => ({ type: 'ticket-tag-added', subject_id: id, payload: { tag_name } })),
  );
  const requests = seen.filter(({ type }) => type === 'csat_requested');
  await announce(
    trx,
    orgId,
    requests.map((event) => ({ type: 'csat-requested', subject_id: id, payload: { request_id: event.id } })),
  );
  if (isClosing(status, seen))
    await announce(trx, orgId, [{ type: 'ticket-closed', subject_id: id, payload: { status } }]);
}

const tagsIn = (events: SessionEvent[]): string[] =>
  events.flatMap(({ type, data = {} }) =>
    type === 'tag_added' && 'tag_name' in data && typeof data.tag_name === 'string' ? [data.tag_name] : [],
  );

const isAnnounced = ({ isIgnored }: SessionEvent): boolean => isIgnored !== true;

/** Returns whether a change closes the session: its history then has the move. */
const isClosing = (
  status: SessionChanges['status'],
  events: SessionEvent[],
): status is EventPayloads['ticket-closed']['status'] =>
  (status === 'closed_resolved' || status === 'closed_unresolved') &&
  events.some(
    ({ type, data }) =>
      type === 'status_changed' &&
      data !== undefined &&
      'to' in data &&
      data.to === status &&
      'from' in data &&
      data.from === 'open',
  );
