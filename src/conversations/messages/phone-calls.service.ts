import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import { updateContact } from '../../contacts/saving/service.ts';
import { getContact, resolveContacts } from '../../contacts/service.ts';
import type { Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import { idOf } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import { SYSTEM } from '../../schemas/actor.ts';
import { changeSession, type SessionEvent } from '../change-session.service.ts';
import { findSessionOfMessage, type LockedSession } from '../queries.ts';
import { applySessionUpdate } from '../sessions/actions.service.ts';
import { detectSessionLanguage } from '../sessions/language.service.ts';
import { lockSession, openSession } from '../sessions/service.ts';
import { addSentMessage } from './automatic-messages.service.ts';

/** This many characters of the contact's words show the language of the session. */
const MAX_LANGUAGE_SAMPLE = 2_000;
const MAX_NAME_LENGTH = 255;
const CLOSURES = {
  answered: 'assumed_resolved',
  transferred: 'handed_off',
  transfer_lost: null,
  failed: null,
} as const;

/** A phone call as its session shows it. */
interface CallLine {
  id: string;
  contactId: string | null;
  /** Names the caller and the called. */
  content: string;
}

/**
 * Opens the session of a phone call with a line about it, once: the line has the id of the call. Returns the session's id.
 */
export async function openCallSession(trx: Trx, orgId: string, { id, contactId, content }: CallLine): Promise<string> {
  await lockName(trx, `phone call ${orgId} ${id}`);
  const opened = await findSessionOfMessage(trx, orgId, id);
  if (opened !== undefined) return opened.id;
  const { id: sessionId } = await openSession(trx, orgId, { contactId, channel: 'phone_voice' });
  await addSentMessage(trx, orgId, { id, sessionId, content, kind: 'call' });
  return sessionId;
}

/** A call of a contact, as the voice platform tells of it. */
export interface ReceivedCall {
  id: string;
  /** E.164. Null if the number is withheld. */
  from: string | null;
  to: string;
  /** The caller's name in the telephone network. */
  name: string | undefined;
  /** Null if no contact has the number: one is then created. */
  contactId: string | null;
}

/**
 * Opens the session of an incoming call. A caller without a number has no contact. Sequences ending with a reply of the
 * contact end. Returns the contact.
 */
export async function openInboundCall(
  trx: Trx,
  orgId: string,
  { id, from, to, name, ...known }: ReceivedCall,
): Promise<string | null> {
  const contactId = known.contactId ?? (from === null ? null : await resolveCaller(trx, orgId, from));
  if (contactId !== null && name !== undefined) await fillName(trx, orgId, contactId, name);
  await openCallSession(trx, orgId, { id, contactId, content: `Call from ${from ?? 'a withheld number'} to ${to}` });
  if (contactId === null) return null;
  const payload = { channel: 'phone_voice' };
  await announce(trx, orgId, [{ type: 'contact-replied', subject_id: contactId, payload }]);
  return contactId;
}

async function resolveCaller(trx: Trx, orgId: string, from: string): Promise<string> {
  const [resolved] = await resolveContacts(trx, orgId, [{ phone_number: from }]);
  if (resolved?.contactId === undefined) throw new Error('The caller has no contact');
  return resolved.contactId;
}

async function fillName(trx: Trx, orgId: string, contactId: string, name: string): Promise<void> {
  const contact = await getContact(trx, orgId, contactId);
  const given = name.trim().slice(0, MAX_NAME_LENGTH).toWellFormed();
  if (contact.name === null && given !== '') await updateContact(trx, orgId, contactId, { name: given });
}

/** An ended phone call. */
export interface EndedCall {
  id: string;
  /** The reporting provider. */
  provider: string;
  said: { by: 'contact' | 'ai'; text: string }[];
  /** The team's note on the call, such as the address of its recording. */
  note: string;
  summary: string | null;
  /** `failed` also if nobody answered. `transfer_lost` if the two have spoken, and the transfer to a person did not succeed. */
  outcome: keyof typeof CLOSURES;
}

/**
 * Ends the session of a phone call: adds its transcript as messages, and the note. An open one also gets the summary,
 * and is closed, unless it was handed off: people then have it. A call already ended changes nothing. A blocked
 * contact's words have no further effects.
 */
export async function endCallSession(trx: Trx, orgId: string, sessionId: string, call: EndedCall): Promise<void> {
  const session = await lockSession(trx, orgId, sessionId);
  const isIgnored = await isContactBlocked(trx, orgId, session.contact_id);
  const events = [
    ...call.said.map(({ by: sender, text: content }, nth): SessionEvent => {
      const id = idOf(orgId, 'said in a call', call.id, String(nth));
      return { id, type: 'message', sender, content, isIgnored };
    }),
    {
      id: idOf(orgId, 'end of a call', call.id),
      type: 'human_agent_comment',
      actor: SYSTEM,
      content: call.note,
    } as const,
  ];
  const isOpen = session.status === 'open';
  const closes = isOpen && session.handoff === null;
  const change = {
    ...(isOpen && call.summary !== null && { summary: call.summary, summary_by: call.provider }),
    ...(closes && { ai_closure_type: CLOSURES[call.outcome] }),
    firstLanguage: await languageOf(trx, orgId, session, call),
  };
  if (!(await changeSession(trx, orgId, session, { ...change, events })) || !closes) return;
  await applySessionUpdate(trx, orgId, sessionId, {
    status: call.outcome === 'answered' ? 'closed_resolved' : 'closed_unresolved',
    reflect_status_change_for_integration: true,
    ...(call.summary !== null && { generate_summary_and_sentiment_on_resolve: false }),
  });
}

/** Returns the language of a call, for a session without one and without events. */
async function languageOf(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  { said }: EndedCall,
): Promise<string | undefined> {
  const words = said.flatMap(({ by, text }) => (by === 'contact' ? [text] : [])).join('\n');
  if (session.language !== null || words === '') return undefined;
  return detectSessionLanguage(trx, orgId, session, words.slice(0, MAX_LANGUAGE_SAMPLE).toWellFormed());
}
