import { addInboundMessage } from '../../conversations/messages/inbound.service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { deleteUnsubscribe, insertSuppression } from '../suppressions.queries.ts';
import { insertInboundMessage, type NewInboundMessage } from './messages.queries.ts';
import { isOptIn, isOptOut } from './opt-out.rules.ts';

/** A message as it came in: addresses in lower case or E.164. */
export type ReceivedMessage = Omit<NewInboundMessage, 'id' | 'isReply'>;

/**
 * Takes a message that a contact sent, once. An SMS that says STOP takes its number off the channel and is no reply; one that says START
 * lets messages reach it again. Whatever else comes goes on with the session of its contact.
 */
export function receiveMessage(db: Db, orgId: string, inbound: ReceivedMessage): Promise<void> {
  const { channel, from, body } = inbound;
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
    await addInboundMessage(trx, orgId, { id, channel, contactId, from, text: body });
  });
}
