import { proxyActivities, sleep } from '@temporalio/workflow';
import type { MessageRequestActivities } from '../../activities/message-requests.ts';
import type { MessageRef } from '../../src/deliveries/contract.ts';
import { SEND_BATCH } from '../activity-options.ts';

const activities = proxyActivities<MessageRequestActivities>({ ...SEND_BATCH, summary: 'send the message' });

/** Sends one message. If the recipient could not be reached, the message is sent again when due. */
export async function sendMessage(message: MessageRef): Promise<void> {
  for (;;) {
    const { hasMore, nextDueInMs } = await activities.sendMessage(message);
    if (hasMore) continue;
    if (nextDueInMs === null) return;
    await sleep(Math.max(nextDueInMs, 1), { summary: 'waiting to retry the provider' });
  }
}
