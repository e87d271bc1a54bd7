import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Trx } from '../../db/connect.ts';
import { conflict } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import { SEND_MESSAGE } from '../contract.ts';
import { findDelivery } from '../queries.ts';
import { insertMessage, type NewMessage } from './queries.ts';

const POLL_MS = 100;
/** No addresses: they would stay in Temporal when the contact is gone. */
const SUMMARIES = { email: 'One e-mail', sms: 'One SMS', whatsapp: 'One WhatsApp message', voice: 'One call' };

/**
 * Accepts a message for sending, together with the workflow that sends it. Gives its id, which is the delivery's. Throws conflict where the
 * same request runs already.
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

/** Waits, for a time, until a delivery is no longer under way. */
export async function waitForDelivery(db: Db, orgId: string, id: string, maxWaitMs: number): Promise<void> {
  const giveUpAt = performance.now() + maxWaitMs;
  for (;;) {
    const delivery = await findDelivery(db, orgId, id);
    const isUnderWay = delivery?.status === 'queued' || delivery?.status === 'sending';
    if (!isUnderWay || performance.now() > giveUpAt) return;
    await sleep(POLL_MS);
  }
}
