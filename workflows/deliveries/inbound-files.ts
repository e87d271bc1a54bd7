import { proxyActivities, sleep } from '@temporalio/workflow';
import type { InboundMessageActivities } from '../../activities/inbound-messages.ts';
import type { FilesProgress, InboundMessageRef } from '../../src/deliveries/contract.ts';
import { SEND_BATCH } from '../activity-options.ts';

const activities = proxyActivities<InboundMessageActivities>({
  ...SEND_BATCH,
  summary: 'fetch the files of the message',
});

/**
 * Adds a contact's message to its session once its files are fetched, or without those that cannot be. Late ones are tried
 * for a day. The activity of earlier versions returned nothing, and their histories end there.
 */
export async function receiveInboundFiles(message: InboundMessageRef): Promise<void> {
  for (;;) {
    const progress: FilesProgress | undefined = await activities.receiveInboundFiles(message);
    if (progress === undefined || progress.nextInMs === null) return;
    await sleep(Math.max(Math.ceil(progress.nextInMs), 1), { summary: 'waiting to try the late files again' });
  }
}
