import { proxyActivities, sleep } from '@temporalio/workflow';
import type { MessageRequestActivities } from '../../activities/message-requests.ts';
import type { MessageRef } from '../../src/deliveries/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { SEND_BATCH } from '../activity-options.ts';
import { countSignals } from '../signals.ts';

const activities = proxyActivities<MessageRequestActivities>({ ...SEND_BATCH, summary: 'send the message' });

/**
 * Sends one message. If the recipient could not be reached, the message is sent again when due. A signal during an attempt
 * has it look once more: no earlier version was signaled then, and histories replay without a patch.
 */
export async function sendMessage(message: MessageRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (;;) {
    const seen = signals();
    const { hasMore, nextDueInMs } = await activities.sendMessage(message);
    if (hasMore || signals() > seen) continue;
    if (nextDueInMs === null) return;
    await sleep(Math.max(nextDueInMs, 1), { summary: 'waiting to retry the provider' });
  }
}
