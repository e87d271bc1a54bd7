import type { Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import { recordEvents } from '../change-session.service.ts';
import { findSessionOfMessage } from '../queries.ts';
import { lockSession } from '../sessions/service.ts';
import { findChangeableText, updateDeletedMessage, updateEditedText } from './changed-messages.queries.ts';

interface MessageEdit {
  id: string;
  at: Date;
  /** Returns the new text for the one in the history. */
  textOf(content: string): string;
  /** Whether the new text is the contact's own, if that changes. */
  isReadable: boolean | undefined;
}

/**
 * Replaces the text of a contact's message as the contact has edited it, and records the edit in the history. A message
 * that was redacted, deleted or edited later stays as it is. Returns whether the text was replaced.
 */
export async function editContactMessage(
  trx: Trx,
  orgId: string,
  { id, at, textOf, isReadable }: MessageEdit,
): Promise<boolean> {
  const sessionId = await lockSessionOfMessage(trx, orgId, id);
  if (sessionId === undefined) return false;
  const message = { sessionId, id };
  const found = await findChangeableText(trx, orgId, message, at);
  if (found === undefined) return false;
  await updateEditedText(trx, orgId, { ...message, at, isReadable, text: textOf(found.content ?? '') });
  return recordEvents(trx, orgId, sessionId, [{ id: newId(), type: 'message_edited', data: { message_id: id } }]);
}

/** Marks a contact's message as deleted by the contact, once, and records it in the history. Its text stays for agents. */
export async function deleteContactMessage(
  trx: Trx,
  orgId: string,
  { id, at }: Pick<MessageEdit, 'id' | 'at'>,
): Promise<void> {
  const sessionId = await lockSessionOfMessage(trx, orgId, id);
  if (sessionId === undefined || !(await updateDeletedMessage(trx, orgId, { sessionId, id, at }))) return;
  await recordEvents(trx, orgId, sessionId, [{ id: newId(), type: 'message_deleted', data: { message_id: id } }]);
}

async function lockSessionOfMessage(trx: Trx, orgId: string, id: string): Promise<string | undefined> {
  const session = await findSessionOfMessage(trx, orgId, id);
  return session && (await lockSession(trx, orgId, session.id)).id;
}
