import { contactsOf, type ShownContact } from '../contacts/showing.service.ts';
import { type ShownSession, sessionsOf } from '../conversations/showing.service.ts';
import type { Db } from '../db/connect.ts';
import type { ClaimedEvent } from '../outbox/claim.ts';
import type { Reaction } from '../outbox/relay.ts';
import { sequencesOf } from '../sequences/showing.service.ts';
import { type Json, TRIGGER_TYPES, type TriggerType } from './blocks.schema.ts';
import { moreOfSession } from './session-happenings.service.ts';
import { isOfInterest } from './starting.queries.ts';
import { type Happening, startRuns } from './starting.service.ts';

type Output = { [key: string]: Json };
/** What each event's trigger has to say, in the order of the events; undefined where its subject is gone or blocked. */
type Outputs = (Output | undefined)[];

/** Something to tell of one subject. */
interface Told extends Pick<ClaimedEvent, 'subject_id' | 'payload' | 'depth' | 'created_at'> {
  key: string;
  type: TriggerType;
}

const TOLD_AT_ONCE = 500;
const TYPES = new Set<string>(TRIGGER_TYPES);

/**
 * Starts the customers' workflows that follow what happened, and tells runs that wait for it. Where nobody has interest it costs one read.
 * What blocked contacts do, and what happened to what is gone, starts nothing.
 */
export const startTriggered: Reaction = async (trx, orgId, events) => {
  const type = events[0]?.type as TriggerType | undefined;
  if (type === undefined || !TYPES.has(type) || !(await isOfInterest(trx, orgId, type))) return;
  const told = events.flatMap((event) => toldBy(event, type));
  for (let first = 0; first < told.length; first += TOLD_AT_ONCE)
    await startBy(trx, orgId, type, told.slice(first, first + TOLD_AT_ONCE));
};

/** Starts the workflows that follow one event. Gives their runs. */
export async function runsTriggeredBy(trx: Db, orgId: string, event: ClaimedEvent): Promise<string[]> {
  const type = event.type as TriggerType;
  return (await isOfInterest(trx, orgId, type)) ? startBy(trx, orgId, type, toldBy(event, type)) : [];
}

async function startBy(trx: Db, orgId: string, type: TriggerType, told: Told[]): Promise<string[]> {
  const runs: string[] = [];
  const outputs = await outputsOf(trx, orgId, type, told);
  const happenings = told.flatMap((one, n) => happeningOf(one, outputs[n]));
  for (const [only, some] of Map.groupBy(happenings, ({ only }) => only))
    runs.push(...(await startRuns(trx, orgId, type, some, 'automatic', only)));
  return runs;
}

/**
 * An event has its row's number as its key. What is reported or found twice has its own: a silence, a moment of a call. A sequence's event is about
 * several contacts.
 */
function toldBy(event: ClaimedEvent, type: TriggerType): Told[] {
  const { id, subject_id, payload, depth, created_at } = event;
  const told = { type, subject_id, payload, depth, created_at, key: `event/${id}` };
  switch (type) {
    case 'ticket-inactive':
      return [{ ...told, key: `inactive/${subject_id}/${payload.since}/${payload.inactive_minutes}` }];
    case 'phone-call-started':
    case 'phone-call-finished':
    case 'voice-call-transferred':
    case 'pre-voice-call-transfer':
      return [{ ...told, key: `call/${subject_id}/${type}` }];
    case 'sequence-completed':
      return (payload.enrollments as { id: string; contact_id: string }[]).map((enrollment) => ({
        ...told,
        key: `event/${id}/${enrollment.id}`,
        subject_id: enrollment.contact_id,
        payload: { sequence_id: subject_id },
      }));
    default:
      return [told];
  }
}

interface OwnHappening extends Happening {
  /** The one workflow that asked for it. */
  only: string | undefined;
}

function happeningOf({ key, type, payload, depth, created_at }: Told, output: Output | undefined): OwnHappening[] {
  if (output === undefined) return [];
  const only = type === 'ticket-inactive' ? (payload.workflow_id as string) : undefined;
  return [{ key, occurredAt: created_at, depth, output, only }];
}

function outputsOf(trx: Db, orgId: string, type: TriggerType, told: Told[]): Promise<Outputs> {
  switch (type) {
    case 'contact-created':
      return outputsOfContacts(trx, orgId, told);
    case 'sequence-completed':
      return outputsOfSequences(trx, orgId, told);
    case 'phone-call-started':
    case 'phone-call-finished':
    case 'voice-call-transferred':
    case 'pre-voice-call-transfer':
      return outputsOfCalls(trx, orgId, told);
    default:
      return outputsOfSessions(trx, orgId, type, told);
  }
}

/** A call of a sequence is in no session. */
async function outputsOfCalls(trx: Db, orgId: string, told: Told[]): Promise<Outputs> {
  const idsAt = (name: string) => told.flatMap(({ payload }) => (payload[name] as string | null) ?? []);
  const sessions = await sessionsOf(trx, orgId, idsAt('session_id'));
  const contacts = await contactsOf(trx, orgId, idsAt('contact_id'));
  return told.map(({ payload }) => {
    const { session_id, contact_id, call } = payload as { session_id: string; contact_id: string; call: Json };
    const contact = contacts.get(contact_id);
    if (contact?.isBlocked === true) return undefined;
    return {
      session: (sessions.get(session_id)?.shown ?? null) as Json,
      contact: (contact?.shown ?? null) as Json,
      call,
    };
  });
}

async function outputsOfContacts(trx: Db, orgId: string, told: Told[]): Promise<Outputs> {
  const contacts = await contactsOf(trx, orgId, idsOf(told));
  return told.map(({ subject_id }) => withContact(contacts.get(subject_id)));
}

async function outputsOfSequences(trx: Db, orgId: string, told: Told[]): Promise<Outputs> {
  const contacts = await contactsOf(trx, orgId, idsOf(told));
  const sequenceIds = told.map(({ payload }) => payload.sequence_id as string);
  const sequences = await sequencesOf(trx, orgId, sequenceIds);
  return told.map(({ subject_id }, n) => {
    const sequence = sequences.get(sequenceIds[n] as string);
    const output = withContact(contacts.get(subject_id));
    return sequence && output && { ...output, sequence: sequence as Json };
  });
}

async function outputsOfSessions(trx: Db, orgId: string, type: TriggerType, told: Told[]): Promise<Outputs> {
  const sessions = await sessionsOf(trx, orgId, idsOf(told));
  const ids = [...sessions.values()].flatMap(({ contactId }) => contactId ?? []);
  const contacts = await contactsOf(trx, orgId, ids);
  const more = await moreOfSession(trx, orgId, type, told, sessions);
  return told.map(({ subject_id, payload }, n) => {
    const session = sessions.get(subject_id);
    if (type === 'ticket-inactive' && !isSilent(session, payload)) return undefined;
    return session && withSession(session, contacts, more[n] as Output);
  });
}

/** Whether nobody has spoken or closed the session since it was found silent. */
const isSilent = (session: ShownSession | undefined, { since }: Told['payload']): boolean =>
  session?.shown.status === 'open' && (session.shown.last_message_at ?? session.shown.created_at) === since;

/** A session of nobody has no contact. */
function withSession(session: ShownSession, contacts: Map<string, ShownContact>, more: Output): Output | undefined {
  const contact = session.contactId === null ? undefined : contacts.get(session.contactId);
  if (contact?.isBlocked === true) return undefined;
  return { session: session.shown as Json, contact: (contact?.shown ?? null) as Json, ...more };
}

const withContact = (contact: ShownContact | undefined): Output | undefined =>
  contact === undefined || contact.isBlocked ? undefined : { contact: contact.shown as Json };

const idsOf = (told: Told[]) => told.map(({ subject_id }) => subject_id);
