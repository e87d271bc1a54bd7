import { type ContactSnapshot, getContactSnapshots } from '../../contacts/snapshots.service.ts';
import {
  listClosingPayloads,
  listEventContents,
  listSessionSnapshots,
  type SessionSnapshot,
  sessionAt,
} from '../../conversations/sessions/snapshots.service.ts';
import type { Trx } from '../../db/connect.ts';
import type { ClaimedEventOf } from '../../outbox/claim.ts';
import type { EventType } from '../../outbox/events.ts';
import { getSequenceSnapshots } from '../../sequences/definitions/snapshots.service.ts';
import { policySnapshotsOf } from '../../sla/policies/snapshots.service.ts';
import type { Json, TriggerType } from '../blocks/schema.ts';

/** Trigger types fired by our own events. */
export type TriggeringType = Extract<TriggerType, EventType>;
export type TriggeringEvent = ClaimedEventOf<TriggeringType>;
export type Payload = { [key: string]: Json };

/** A trigger event for one subject. */
export type Occurrence = TriggeringEvent & {
  /** The same for the same occurrence, and different for all others of its type. */
  key: string;
  /** Sequence events only: the contact's enrollment. */
  enrollment?: { id: string; contact_id: string };
};

/** Data for the payloads of some occurrences, by id. */
interface Subjects {
  contacts: Map<string, ContactSnapshot>;
  sessions: Map<string, SessionSnapshot>;
  sequences: Awaited<ReturnType<typeof getSequenceSnapshots>>;
  policies: Awaited<ReturnType<typeof policySnapshotsOf>>;
  /** Comments of CSAT scores, and messages, without redacted ones. */
  texts: Map<string, string>;
  /** Payloads of closings, without redacted ones. */
  closings: Awaited<ReturnType<typeof listClosingPayloads>>;
}

/**
 * Returns the payload of each occurrence's trigger, in the given order. A payload is undefined if its subject was
 * deleted or its contact is blocked.
 */
export async function payloadsOf(trx: Trx, orgId: string, occurrences: Occurrence[]): Promise<(Payload | undefined)[]> {
  const subjects = await subjectsOf(trx, orgId, occurrences);
  return occurrences.map((occurrence) => payloadOf(occurrence, subjects));
}

async function subjectsOf(trx: Trx, orgId: string, occurrences: Occurrence[]): Promise<Subjects> {
  const ids = occurrences.map(idsOf);
  const idsIn = (of: keyof Ids) => ids.flatMap((one) => one[of] ?? []);
  const sessions = await listSessionSnapshots(trx, orgId, idsIn('session'));
  const contactsOfSessions = [...sessions.values()].flatMap(({ contactId }) => contactId ?? []);
  return {
    sessions,
    contacts: await getContactSnapshots(trx, orgId, [...idsIn('contact'), ...contactsOfSessions]),
    sequences: await getSequenceSnapshots(trx, orgId, idsIn('sequence')),
    policies: await policySnapshotsOf(trx, orgId, idsIn('policy')),
    texts: await listEventContents(trx, orgId, [...idsIn('score'), ...idsIn('message')]),
    closings: await listClosingPayloads(trx, orgId, idsIn('closing')),
  };
}

interface Ids {
  session?: string | null;
  contact?: string | null;
  sequence?: string;
  policy?: string;
  score?: string;
  message?: string;
  closing?: string | undefined;
}

function idsOf({ type, subject_id, payload, enrollment }: Occurrence): Ids {
  switch (type) {
    case 'contact-created':
      return { contact: subject_id };
    case 'sequence-completed':
      return { contact: enrollment?.contact_id, sequence: subject_id };
    case 'phone-call-started':
    case 'phone-call-finished':
    case 'voice-call-transferred':
    case 'pre-voice-call-transfer':
      return { session: payload.session_id, contact: payload.contact_id };
    case 'ticket-resolved':
      return { session: subject_id, closing: payload.closing_id };
    case 'csat-score-submit':
      return { session: subject_id, score: payload.score_id };
    case 'prohibited-topic-detected':
      return { session: subject_id, message: payload.message_id };
    case 'sla-first-reply-warning':
    case 'sla-next-reply-warning':
    case 'sla-resolution-warning':
    case 'sla-first-reply-breached':
    case 'sla-next-reply-breached':
    case 'sla-resolution-breached':
      return { session: subject_id, policy: payload.policy_id };
    default:
      return { session: subject_id };
  }
}

function payloadOf(occurrence: Occurrence, subjects: Subjects): Payload | undefined {
  const { subject_id, enrollment } = occurrence;
  switch (occurrence.type) {
    case 'contact-created':
      return withContact(subjects.contacts.get(subject_id));
    case 'sequence-completed': {
      const sequence = subjects.sequences.get(subject_id);
      const contact = withContact(enrollment && subjects.contacts.get(enrollment.contact_id));
      return sequence && contact && { ...contact, sequence: sequence as Json };
    }
    case 'phone-call-started':
    case 'phone-call-finished':
    case 'voice-call-transferred':
    case 'pre-voice-call-transfer':
      return callPayload(occurrence, subjects);
    default: {
      const now = subjects.sessions.get(subject_id);
      const session = now && sessionOf(occurrence, now);
      const more = session && sessionDetails(occurrence, session, subjects);
      return session && more && withSession(session, subjects.contacts, more);
    }
  }
}

/** Returns the session at its event, with what auto-tagging has given it because of the event. */
function sessionOf({ type, payload }: Occurrence, now: SessionSnapshot): SessionSnapshot {
  const state = 'session' in payload ? payload.session : undefined;
  if (!state) return now;
  const given = type === 'ticket-resolved' || type === 'pre-ticket-handoff' ? now.autoTags : [];
  return { ...now, session: sessionAt(now, { ...state, tags: [...new Set([...state.tags, ...given])] }) };
}

type CallOccurrence = Extract<
  Occurrence,
  { type: 'phone-call-started' | 'phone-call-finished' | 'voice-call-transferred' | 'pre-voice-call-transfer' }
>;

/** A call of a sequence that nobody has answered has no session. */
function callPayload({ payload }: CallOccurrence, { sessions, contacts }: Subjects): Payload | undefined {
  const session = payload.session_id === null ? undefined : sessions.get(payload.session_id);
  const contact = payload.contact_id === null ? undefined : contacts.get(payload.contact_id);
  if (contact?.isBlocked === true) return undefined;
  return {
    session: session?.session ?? null,
    contact: contact?.shown ?? null,
    call: payload.call,
  };
}

/**
 * Returns the payload fields besides the session and its contact. Returns undefined if a session is no longer inactive.
 */
function sessionDetails(occurrence: Occurrence, session: SessionSnapshot, subjects: Subjects): Payload | undefined {
  const { type, payload } = occurrence;
  switch (type) {
    case 'ticket-reassigned':
      return { from: { ...payload.before }, to: { assignee_id: payload.assignee_id, team_id: payload.team_id } };
    case 'ticket-resolved': {
      const { closing_id } = payload;
      const given = closing_id === undefined ? session.closedPayload : subjects.closings.get(closing_id);
      return { session_closed_payload: (given ?? null) as Json };
    }
    case 'pre-ticket-handoff':
    case 'ticket-handoff':
      return { handoff: session.session.handoff ?? null };
    case 'ticket-tag-added':
      return { tag: payload.tag_name };
    case 'ticket-inactive':
      return isStillInactive(session, payload.since) ? { inactive_minutes: payload.inactive_minutes } : undefined;
    case 'csat-score-submit':
      return { score: payload.score, comment: subjects.texts.get(payload.score_id) ?? null };
    case 'prohibited-topic-detected': {
      const { message_id: id, topic } = payload;
      return { topic, message: { id, text: subjects.texts.get(id) ?? null } };
    }
    case 'sla-first-reply-warning':
    case 'sla-next-reply-warning':
    case 'sla-resolution-warning':
    case 'sla-first-reply-breached':
    case 'sla-next-reply-breached':
    case 'sla-resolution-breached': {
      const policy = subjects.policies.get(payload.policy_id) ?? { id: payload.policy_id };
      return { policy, due_at: payload.due_at };
    }
    default:
      return {};
  }
}

/** Returns whether the session is still open, and nobody has written in it or reopened it since it was found inactive. */
const isStillInactive = ({ session, inactiveSince }: SessionSnapshot, since: string): boolean =>
  session.status === 'open' && inactiveSince.toISOString() === since;

/** Returns the payload of a session. Undefined for a blocked contact's. Sessions of anonymous visitors have no contact. */
export function withSession(
  session: SessionSnapshot,
  contacts: Map<string, ContactSnapshot>,
  more: Payload,
): Payload | undefined {
  const contact = session.contactId === null ? undefined : contacts.get(session.contactId);
  if (contact?.isBlocked === true) return undefined;
  return { session: session.session, contact: contact?.shown ?? null, ...more };
}

const withContact = (contact: ContactSnapshot | undefined): Payload | undefined =>
  contact === undefined || contact.isBlocked ? undefined : { contact: contact.shown };
