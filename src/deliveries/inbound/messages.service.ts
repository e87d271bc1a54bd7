import { addInboundMessage } from '../../conversations/messages/inbound.service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { deleteUnsubscribe, insertSuppression } from '../suppressions.queries.ts';
import { insertInboundMessage, type NewInboundMessage, updateInboundContact } from './messages.queries.ts';
import { isOptIn, isOptOut } from './opt-out.rules.ts';

/** A message as received, with addresses in lower case or E.164. */
export type ReceivedMessage = Omit<NewInboundMessage, 'id' | 'isReply'> & {
  /** Whether a program must not answer it. */
  isAutomated?: boolean;
};

/**
 * Receives a contact's message once. An SMS of STOP suppresses its number on the channel and is no reply. START removes
 * this suppression. Any message but STOP continues the contact's session.
 */
export function receiveMessage(db: Db, orgId: string, inbound: ReceivedMessage): Promise<void> {
  const { channel, from, body, deliveryId: inReplyTo, isAutomated } = inbound;
  const isStop = channel === 'sms' && isOptOut(body);
  return inTransaction(db, async (trx) => {
    const id = newId();
    const contactId = await insertInboundMessage(trx, orgId, { ...inbound, id, isReply: !isStop });
    if (contactId === undefined) return;
    if (isStop) {
      await insertSuppression(trx, orgId, { id: newId(), channel, address: from, reason: 'unsubscribed' });
      return;
    }
    if (channel === 'sms' && isOptIn(body)) await deleteUnsubscribe(trx, orgId, channel, from);
    const message = { id, channel, contactId, from, text: body, inReplyTo, isAutomated };
    const author = await addInboundMessage(trx, orgId, message);
    if (contactId === null) await updateInboundContact(trx, orgId, id, author);
  });
}
