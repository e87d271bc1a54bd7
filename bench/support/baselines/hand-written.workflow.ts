import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { HandWrittenActivities, Order } from './hand-written-worker.ts';

const options = { startToCloseTimeout: '1 minute' } as const;
const remote = proxyActivities<HandWrittenActivities>(options);
const local = proxyLocalActivities<HandWrittenActivities>(options);

/** Calls for a big order. Each step is an activity, retried and visible separately. */
export async function byActivities(order: Order): Promise<void> {
  if (await remote.isBig(order)) await remote.call(order);
}

/** Does the same with local activities, within workflow tasks. */
export async function byLocalActivities(order: Order): Promise<void> {
  if (await local.isBig(order)) await local.call(order);
}
