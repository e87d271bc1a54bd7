import { toE164 } from '../../contacts/phone-number.schema.ts';
import { updateContact } from '../../contacts/saving/service.ts';
import { Email } from '../../contacts/schema.ts';
import { getContact, resolveContacts } from '../../contacts/service.ts';
import type { Trx } from '../../db/connect.ts';
import { inSavepoint } from '../../db/transaction.ts';
import { DomainError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { readSettings } from '../../orgs/service.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import { changeSession, recordEvents, type Side } from '../change-session.service.ts';
import { lockSession, openSession } from '../sessions/service.ts';
import { addContactMessage } from './contact-messages.service.ts';
import { deliverToChannel, type SendingDeps } from './service.ts';
import { findReopening, findReturnToAi } from './shared.queries.ts';

const MAX_NAME_LENGTH = 1_000;

/** A message sent in another system. */
export interface ExternalMessage {
  /** Always the same for one message, so it is stored once. */
  id: string;
  text: string;
  /** The sender's name in the other system. */
  name: string | null;
}

/** A person as described by another system. */
export interface ExternalPerson {
  name: string | null;
  email: string | null;
  phone: string | null;
}

export interface ExternalConversation {
  /** Undefined if the other system does not know the person. */
  person: ExternalPerson | undefined;
  channel: SessionChannel;
  assistMode: boolean;
}

/** Opens a session for another system's conversation with a customer: messages written here are sent there. */
export async function openExternalSession(
  trx: Trx,
  orgId: string,
  { person, channel, assistMode }: ExternalConversation,
): Promise<{ id: string }> {
  const contactId = person === undefined ? null : await resolveExternalContact(trx, orgId, person);
  return openSession(trx, orgId, { contactId, channel, assistMode, relayedSide: 'customer' });
}

/**
 * Returns the contact with the person's e-mail address, or else phone number. Creates the contact if needed; null for a
 * person without either. Adds the name and number to a contact without one.
 */
async function resolveExternalContact(trx: Trx, orgId: string, person: ExternalPerson): Promise<string | null> {
  const email = Email.safeParse(person.email).data;
  const phone = toE164(person.phone ?? '', (await readSettings(trx, orgId)).country ?? undefined);
  const ref = email !== undefined ? { email } : phone !== undefined ? { phone_number: phone } : undefined;
  const [resolved] = ref === undefined ? [] : await resolveContacts(trx, orgId, [ref]);
  if (resolved?.contactId === undefined) return null;
  const { contactId } = resolved;
  const contact = await getContact(trx, orgId, contactId);
  const name = person.name?.slice(0, MAX_NAME_LENGTH).toWellFormed();
  if (contact.name === null && name) await updateContact(trx, orgId, contactId, { name });
  if (contact.phone_number === null && phone !== undefined) await addPhoneNumber(trx, orgId, contactId, phone);
  return contactId;
}

/** Adds a phone number to a contact, unless another contact has it. */
async function addPhoneNumber(trx: Trx, orgId: string, contactId: string, phone: string): Promise<void> {
  try {
    await updateContact(trx, orgId, contactId, { phone });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}

/**
 * Adds a customer's message from another system. The customer becomes the session's contact if it has none. Returns
 * whether the message is new. Throws notFound.
 */
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
 * Adds an agent's message from another system. If the other system serves the agents' side, the message is sent to the
 * customer like any agent's message. If this fails, a note records the reason. Returns whether the message is new.
 * Throws notFound.
 */
export async function addExternalAgentMessage(
  trx: Trx,
  deps: SendingDeps,
  orgId: string,
  { sessionId, id, text, name, side }: ExternalMessage & { sessionId: string; side: Side },
): Promise<boolean> {
  const session = await lockSession(trx, orgId, sessionId);
  const data = { sender_name: name ?? undefined };
  const relayed = side === 'customer' ? {} : { relayTo: 'customer' as const };
  const isNew = await changeSession(trx, orgId, session, {
    events: [{ id, type: 'message', sender: 'human_agent', content: text, data, ...relayed }],
  });
  if (!isNew || side === 'customer') return isNew;
  try {
    const message = { session, id, text, files: [], isAutoReply: false };
    await inSavepoint(trx, () => deliverToChannel(trx, deps, orgId, message));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const content = `The agent's message was not sent to the contact: ${error.message}`;
    await recordEvents(trx, orgId, sessionId, [{ id: newId(), type: 'human_agent_comment', content }]);
  }
  return true;
}

/**
 * Adds a note of the team from another system, or a note about a message. Returns whether it is new. Throws notFound.
 */
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

/** Returns whether a session was opened again after a time, as hasHappenedAfter does. */
export const isReopenedAfter = (trx: Trx, orgId: string, sessionId: string, time: Date): Promise<boolean> =>
  hasHappenedAfter(trx, orgId, sessionId, { find: findReopening, time });

/** Returns whether a session was returned to the AI after a time, as hasHappenedAfter does. */
export const isReturnedToAiAfter = (trx: Trx, orgId: string, sessionId: string, time: Date): Promise<boolean> =>
  hasHappenedAfter(trx, orgId, sessionId, { find: findReturnToAi, time });

/**
 * Returns whether the row found by `find` came after a time, and locks the session: nothing happens to it until the
 * transaction ends. Throws notFound.
 */
async function hasHappenedAfter(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { find, time }: { find: typeof findReopening; time: Date },
): Promise<boolean> {
  await lockSession(trx, orgId, sessionId);
  const found = await find(trx, orgId, sessionId);
  return found !== undefined && found.created_at > time;
}
