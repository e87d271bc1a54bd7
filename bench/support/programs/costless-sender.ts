import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageSender } from '../../../src/deliveries/sending/message-sender.ts';

/** Accepts everything, at once or after a time, so that what is measured is all but the sending. */
export const createCostlessSender = ({
  delayMs,
  concurrency,
}: {
  delayMs: number;
  concurrency: number;
}): MessageSender => ({
  provider: 'costless',
  fromAddress: null,
  concurrency,
  pool: {},
  async send({ deliveryId }) {
    if (delayMs > 0) await sleep(delayMs);
    return { kind: 'accepted', providerId: deliveryId };
  },
});

/** Takes a whole batch side by side. */
export const COSTLESS = { delayMs: 0, concurrency: 500 };
/** A provider that answers as fast as a real one at its best. */
const QUICK = { delayMs: 20, concurrency: 50 };

/** What the bench that started this program wants: QUICK by OUTLET=quick, else COSTLESS. */
export const senderOfEnvironment = (): MessageSender =>
  createCostlessSender(process.env.OUTLET === 'quick' ? QUICK : COSTLESS);
