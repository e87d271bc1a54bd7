import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Trx } from '../../db/connect.ts';
import { conflict } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import { SEND_MESSAGE } from '../contract.ts';
import { findDelivery } from '../queries.ts';
import { insertMessage, type NewMessage } from './queries.ts';

export { insertSkipped as recordSkipped, releaseRequestKey } from './queries.ts';
export { hasWrittenLately } from './replies.queries.ts';

const POLL_MS = 100;
/** Contain no addresses: Temporal would keep them after the contact's deletion. */
const SUMMARIES = {
  email: 'One e-mail',
  sms: 'One SMS',
  whatsapp: 'One WhatsApp message',
  voice: 'One call',
  messenger: 'One message by Messenger',
  instagram: 'One message by Instagram',
  slack: 'One message in Slack',
};

/**
 * Accepts a message for sending, together with the workflow for it. Returns the delivery's id. Throws conflict if the
 * same request is already running.
 */
export async function requestMessage(
  trx: Trx,
  orgId: string,
  { id = newId(), ...message }: NewMessage & { id?: string },
): Promise<string> {
  if (!(await insertMessage(trx, orgId, id, message)))
    throw conflict('The same request is running already: try again when it has ended');
  const summary = SUMMARIES[message.channel];
  await enqueue(trx, orgId, start(SEND_MESSAGE, { orgId, deliveryId: id }, { subjectId: id, summary }));
  return id;
}

export interface DeliveryWait {
  /** The longest wait for the provider's response. */
  maxWaitMs: number;
  /** Ends the wait once it is aborted. */
  closing?: AbortSignal;
}

/** Waits a limited time for a delivery to leave `queued` and `sending`. */
export async function waitForDelivery(
  db: Db,
  orgId: string,
  id: string,
  { maxWaitMs, closing }: DeliveryWait,
): Promise<void> {
  const giveUpAt = performance.now() + maxWaitMs;
  for (;;) {
    const delivery = await findDelivery(db, orgId, id);
    const isUnderWay = delivery?.status === 'queued' || delivery?.status === 'sending';
    if (!isUnderWay || performance.now() > giveUpAt || closing?.aborted === true) return;
    await sleep(POLL_MS);
  }
}
