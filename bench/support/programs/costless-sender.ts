import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageSender } from '../../../src/deliveries/sending/message-sender.ts';

/** Accepts everything, at once or after a delay, so that benches measure everything except sending. */
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

/** Sends a whole batch concurrently. */
export const COSTLESS = { delayMs: 0, concurrency: 500 };
/** A provider as fast as a real one at its best. */
const QUICK = { delayMs: 20, concurrency: 50 };

/** Returns the sender chosen by the bench: QUICK for OUTLET=quick, else COSTLESS. */
export const senderOfEnvironment = (): MessageSender =>
  createCostlessSender(process.env.OUTLET === 'quick' ? QUICK : COSTLESS);
