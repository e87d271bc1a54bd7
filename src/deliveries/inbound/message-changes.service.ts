import { deleteContactMessage, editContactMessage } from '../../conversations/messages/changed-messages.service.ts';
import type { Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import type { MessageChange } from '../../providers/sending.ts';
import { editedText } from './files.rules.ts';
import {
  findInbound,
  insertInboundMessage,
  updateInboundBody,
  updateWaitingMessage,
  type WaitingChange,
} from './messages.queries.ts';
import { type ReceivedMessage, receiveMessage } from './messages.service.ts';

/** A message that changes an earlier one, with the new content of an edit. */
export type ReceivedChange = ReceivedMessage & { change: MessageChange; sentAt?: Date | undefined };

/**
 * Receives a change of a contact's message once. An edit of an unknown message is that message, edited. The deletion of
 * one keeps it out if it comes later.
 */
export async function receiveChange(
  trx: Trx,
  orgId: string,
  { change: { kind, of }, sentAt: at = new Date(), ...message }: ReceivedChange,
): Promise<void> {
  const { provider, body } = message;
  const original = { provider, providerId: of };
  const row = { ...message, id: newId(), body: '', isReply: false, files: [] };
  if ((await findInbound(trx, orgId, original)) === undefined) {
    if (kind === 'edit') await receiveMessage(trx, orgId, { ...message, ...original });
    else await insertInboundMessage(trx, orgId, { ...row, ...original, id: newId() });
  }
  const id = (await findInbound(trx, orgId, original))?.id;
  if (id === undefined) return;
  if ((await insertInboundMessage(trx, orgId, row)) === undefined) return;
  const changed = { id, at, ...(kind === 'edit' && { text: body }) };
  if (await updateWaitingMessage(trx, orgId, changed)) return;
  if (kind === 'deletion') return deleteContactMessage(trx, orgId, changed);
  const textOf = (content: string) => editedText(content, body);
  const isReadable = message.isDescription ? false : body.trim() === '' ? undefined : true;
  if (await editContactMessage(trx, orgId, { ...changed, textOf, isReadable }))
    await updateInboundBody(trx, orgId, id, body);
}

/** Says of a message that is now in its session that it was edited or deleted while it waited for its files. */
export async function recordWaitingChanges(
  trx: Trx,
  orgId: string,
  { id, editedAt, deletedAt }: Pick<WaitingChange, 'id'> & { editedAt: Date | null; deletedAt: Date | null },
): Promise<void> {
  const textOf = (content: string) => content;
  if (editedAt !== null) await editContactMessage(trx, orgId, { id, at: editedAt, textOf, isReadable: undefined });
  if (deletedAt !== null) await deleteContactMessage(trx, orgId, { id, at: deletedAt });
}
