import { proxyActivities } from '@temporalio/workflow';
import type { InboundMessageActivities } from '../../activities/inbound-messages.ts';
import type { InboundMessageRef } from '../../src/deliveries/contract.ts';
import { SEND_BATCH } from '../activity-options.ts';

const activities = proxyActivities<InboundMessageActivities>({
  ...SEND_BATCH,
  summary: 'fetch the files of the message',
});

/** Adds a contact's message to its session once its files are fetched, or without those that cannot be. */
export function receiveInboundFiles(message: InboundMessageRef): Promise<void> {
  return activities.receiveInboundFiles(message);
}
