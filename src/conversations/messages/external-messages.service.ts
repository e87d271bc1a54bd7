import { PhoneNumber } from '../../contacts/phone-number.schema.ts';
import { updateContact } from '../../contacts/saving/service.ts';
import { Email } from '../../contacts/schema.ts';
import { getContact, resolveContacts } from '../../contacts/service.ts';
import type { Trx } from '../../db/connect.ts';
import { inSavepoint } from '../../db/transaction.ts';
import { DomainError } from '../../errors.ts';
import type { SessionChannel } from '../../http/schemas.ts';
import { newId } from '../../ids.ts';
import { changeSession, recordEvents, type Side } from '../change-session.service.ts';
import { lockSession, openSession } from '../sessions/service.ts';
import { addContactMessage } from './contact-messages.service.ts';
import { deliverToChannel, type SendingDeps } from './service.ts';

const MAX_NAME_LENGTH = 1_000;

/** Something that was said in another system. */
export interface ExternalMessage {
  /** The same for the same thing, so that it is kept once. */
  id: string;
  text: string;
  /** As whoever said it is called there. */
  name: string | null;
}

/** Whom another system knows, in its own words. */
export interface ExternalPerson {
  name: string | null;
  email: string | null;
  phone: string | null;
}

export interface ExternalConversation {
  /** Undefined where the other system does not know. */
  person: ExternalPerson | undefined;
  channel: SessionChannel;
  assistMode: boolean;
}

/** Opens a session for a conversation that another system holds with a customer: what is said here goes out there. */
export async function openExternalSession(
  trx: Trx,
  orgId: string,
  { person, channel, assistMode }: ExternalConversation,
): Promise<{ id: string }> {
  const contactId = person === undefined ? null : await resolveExternalContact(trx, orgId, person);
  return openSession(trx, orgId, { contactId, channel, assistMode, relayedSide: 'customer' });
}

/** The contact with the person's e-mail address, or else number; null for one without. A name and a number are kept where there was none. */
async function resolveExternalContact(trx: Trx, orgId: string, person: ExternalPerson): Promise<string | null> {
  const email = Email.safeParse(person.email).data;
  const phone = PhoneNumber.safeParse(person.phone).data;
  const ref = email !== undefined ? { email } : phone !== undefined ? { phone_number: phone } : undefined;
  const [resolved] = ref === undefined ? [] : await resolveContacts(trx, orgId, [ref]);
  if (resolved?.contactId === undefined) return null;
  const { contactId } = resolved;
  const known = await getContact(trx, orgId, contactId);
  const name = person.name?.slice(0, MAX_NAME_LENGTH).toWellFormed();
  if (known.name === null && name) await updateContact(trx, orgId, contactId, { name });
  if (known.phone_number === null && phone !== undefined) await addPhoneNumber(trx, orgId, contactId, phone);
  return contactId;
}

/** A number that another contact has stays with that one. */
async function addPhoneNumber(trx: Trx, orgId: string, contactId: string, phone: string): Promise<void> {
  try {
    await updateContact(trx, orgId, contactId, { phone });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}

/** Adds what the customer said in another system, who becomes the session's contact where it has none. Says whether it is new. Throws notFound. */
export async function addExternalCustomerMessage(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { id, text, name, email }: ExternalMessage & { email: string | null },
): Promise<boolean> {
  const session = await lockSession(trx, orgId, sessionId);
  const contactId = session.contact_id ?? (await resolveExternalContact(trx, orgId, { name, email, phone: null }));
  if (contactId !== session.contact_id) {
    await changeSession(trx, orgId, session, { contact_id: contactId });
  }
  const message = { id, text, name: name ?? undefined };
  return addContactMessage(trx, orgId, { ...session, contact_id: contactId }, message);
}

/**
 * Adds what an agent said in another system. Where that speaks for the agents' side, it goes out to the customer like any agent's message; why
 * it cannot is noted. Says whether it is new. Throws notFound.
 */
export async function addExternalAgentMessage(
  trx: Trx,
  deps: SendingDeps,
  orgId: string,
  sessionId: string,
  { id, text, name, side }: ExternalMessage & { side: Side },
): Promise<boolean> {
  const session = await lockSession(trx, orgId, sessionId);
  const data = { sender_name: name ?? undefined };
  const relayed = side === 'customer' ? {} : { relayTo: 'customer' as const };
  const isNew = await changeSession(trx, orgId, session, {}, [
    { id, type: 'message', sender: 'human_agent', content: text, data, ...relayed },
  ]);
  if (!isNew || side === 'customer') return isNew;
  try {
    await inSavepoint(trx, () => deliverToChannel(trx, deps, orgId, session, { id, text, files: [] }));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const content = `The agent's message was not sent to the contact: ${error.message}`;
    await recordEvents(trx, orgId, sessionId, [{ id: newId(), type: 'human_agent_comment', content }]);
  }
  return true;
}

/** Adds a note that the team wrote in another system, or that is about a message. Says whether it is new. Throws notFound. */
export async function addExternalNote(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { id, text, name, about }: ExternalMessage & { about?: string },
): Promise<boolean> {
  await lockSession(trx, orgId, sessionId);
  const data = { sender_name: name ?? undefined, about };
  return recordEvents(trx, orgId, sessionId, [{ id, type: 'human_agent_comment', content: text, data }]);
}
