import type { Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import { CONTACT } from '../../schemas/actor.ts';
import { appendEvents } from '../events.queries.ts';
import { findSessionOfMessage } from '../queries.ts';
import { lockSession } from '../sessions/service.ts';
import {
  findChangeableText,
  type MessageRef,
  updateDeletedMessage,
  updateEditedText,
} from './changed-messages.queries.ts';

interface MessageChange {
  change: 'edited' | 'deleted';
  /** Whether its message was of a blocked contact. */
  isIgnored: boolean;
}

interface MessageEdit {
  id: string;
  at: Date;
  /** Returns the new text for the one in the history. */
  textOf(content: string): string;
  /** Whether the new text is the contact's own, if this changes. */
  isReadable: boolean | undefined;
}

/**
 * Replaces the text of a contact's message as the contact has edited it, and records the edit in the history. A message
 * redacted, deleted or edited later stays unchanged. Others hear of it. Returns whether the text was replaced.
 */
export async function editContactMessage(
  trx: Trx,
  orgId: string,
  { id, at, textOf, isReadable }: MessageEdit,
): Promise<boolean> {
  const sessionId = await lockSessionOfMessage(trx, orgId, id);
  if (sessionId === undefined) return false;
  const message = { sessionId, id };
  const text = await findChangeableText(trx, orgId, message, at);
  if (text === undefined) return false;
  await updateEditedText(trx, orgId, { ...message, at, isReadable, text: textOf(text.content ?? '') });
  return recordChange(trx, orgId, { ...message, change: 'edited', isIgnored: text.is_ignored });
}

/** Marks a contact's message as deleted by the contact, once, and records it in the history. Its text stays for agents. */
export async function deleteContactMessage(
  trx: Trx,
  orgId: string,
  { id, at }: Pick<MessageEdit, 'id' | 'at'>,
): Promise<void> {
  const sessionId = await lockSessionOfMessage(trx, orgId, id);
  const deleted = sessionId && (await updateDeletedMessage(trx, orgId, { sessionId, id, at }));
  if (!deleted) return;
  await recordChange(trx, orgId, { sessionId, id, change: 'deleted', isIgnored: deleted.is_ignored });
}

/** Records a change of a message in the history of its locked session, and announces it. */
function recordChange(
  trx: Trx,
  orgId: string,
  { sessionId, id: message_id, change, isIgnored }: MessageRef & MessageChange,
): Promise<boolean> {
  const change_id = newId();
  const events = [{ id: change_id, type: `message_${change}` as const, actor: CONTACT, data: { message_id } }];
  const payload = { message_id, change_id, change };
  const announcement = { type: 'message-changed' as const, subject_id: sessionId, payload };
  return appendEvents(trx, orgId, sessionId, { events, announcements: isIgnored ? [] : [announcement] });
}

async function lockSessionOfMessage(trx: Trx, orgId: string, id: string): Promise<string | undefined> {
  const session = await findSessionOfMessage(trx, orgId, id);
  return session && (await lockSession(trx, orgId, session.id)).id;
}
