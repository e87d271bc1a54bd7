import type { Trx } from '../db/connect.ts';
import { announce, type EventPayloads } from '../outbox/events.ts';
import { announceToSubscribers } from '../outbox/subscriptions.ts';
import { announceWithState } from './announcements.service.ts';
import { appendEvents, type NewEvent } from './events.queries.ts';
import type { EventType } from './history/events.schema.ts';
import { type LockedSession, type SessionChanges, updateSession } from './queries.ts';

/** A side of a conversation. */
export type Side = 'customer' | 'agents';

/** Events that start, stop or reset the SLA clocks of a session. */
const SLA_EVENTS = ['message', 'status_changed', 'handoff', 'human_agent_takeover'] as const satisfies EventType[];
/** Events that other domains react to. */
type ReactiveType =
  | (typeof SLA_EVENTS)[number]
  | 'workflow_message'
  | 'sequence_message'
  | 'tag_added'
  | 'tag_removed'
  | 'csat_requested';

/** An event of a session's history with its consequences. */
export interface SessionEvent extends NewEvent {
  /** The side that the message still has to reach. It goes there if another system speaks for that side. */
  relayTo?: Side;
  /** True for the events of a blocked contact: they are stored, and nobody reacts to them. */
  isIgnored?: boolean;
}

/**
 * Changes a locked session: appends events to its history, updates its row, and announces what other domains react to: every message. Messages are relayed,
 * tags and a new contact re-evaluate the SLA policy, and events that move SLA clocks are announced for sessions under a policy. Returns false,
 * and changes nothing, if the history already has an event of one of these ids: it can be called again.
 */
export async function changeSession(
  trx: Trx,
  orgId: string,
  session: Pick<LockedSession, 'id' | 'relayed_side' | 'has_sla'>,
  { events = [], ...change }: SessionChanges & { events?: SessionEvent[] },
): Promise<boolean> {
  if (events.length > 0 && !(await appendEvents(trx, orgId, session.id, events.map(rowOf)))) return false;
  if (Object.keys(change).length > 0) await updateSession(trx, orgId, session.id, change);
  await announceChange(trx, orgId, session, { ...change, events });
  return true;
}

/** Appends events that no other domain reacts to. Returns false if the history already has an event of one of these ids. */
export const recordEvents = (
  trx: Trx,
  orgId: string,
  sessionId: string,
  events: (NewEvent & { type: Exclude<EventType, ReactiveType> })[],
): Promise<boolean> => appendEvents(trx, orgId, sessionId, events);

const rowOf = ({ relayTo, isIgnored, ...event }: SessionEvent): NewEvent => event;

/** Returns who said a message. Undefined for other events. */
function authorOf({ type, sender }: SessionEvent): EventPayloads['message-created']['sender'] | undefined {
  if (type === 'workflow_message') return 'workflow';
  if (type === 'sequence_message') return 'sequence';
  return type === 'message' ? sender : undefined;
}

async function announceChange(
  trx: Trx,
  orgId: string,
  { id, relayed_side, has_sla }: Pick<LockedSession, 'id' | 'relayed_side' | 'has_sla'>,
  { contact_id, status, events }: Pick<SessionChanges, 'contact_id' | 'status'> & { events: SessionEvent[] },
): Promise<void> {
  const announced = events.filter(({ isIgnored }) => isIgnored !== true);
  const created = announced.flatMap((event) => {
    const sender = authorOf(event);
    return sender === undefined ? [] : [{ subject_id: id, payload: { message_id: event.id, sender } }];
  });
  await announce(trx, orgId, 'message-created', created);
  const messages = announced.flatMap(({ id: message_id, relayTo: to }) =>
    to !== undefined && (relayed_side === to || relayed_side === 'both') ? [{ message_id, to }] : [],
  );
  await announce(
    trx,
    orgId,
    'message-relayed',
    messages.map((payload) => ({ subject_id: id, payload })),
  );
  const tags = announced.filter(({ type }) => type === 'tag_added').map(({ data }) => data as { tag_name: string });
  await announceWithState(
    trx,
    orgId,
    'ticket-tag-added',
    tags.map(({ tag_name }) => ({ subject_id: id, payload: { tag_name } })),
  );
  if (announced.some(({ type }) => type === 'csat_requested'))
    await announceToSubscribers(trx, orgId, 'csat-requested', [{ subject_id: id, payload: {} }]);
  if (isClosing(status, announced))
    await announceToSubscribers(trx, orgId, 'ticket-closed', [{ subject_id: id, payload: { status } }]);
  if (contact_id !== undefined || announced.some(({ type }) => type === 'tag_removed'))
    await announce(trx, orgId, 'sla-session-changed', [{ subject_id: id, payload: {} }]);
  if (has_sla && announced.some(({ type }) => SLA_EVENTS.some((moving) => moving === type)))
    await announce(trx, orgId, 'session-activity', [{ subject_id: id, payload: {} }]);
}

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
