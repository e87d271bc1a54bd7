import { proxyActivities } from '@temporalio/workflow';
import type { InboundMessageActivities } from '../../activities/inbound-messages.ts';
import type { InboundEmailRef, InboundEmailResult } from '../../src/deliveries/contract.ts';
import { SEND_BATCH } from '../activity-options.ts';

const activities = proxyActivities<InboundMessageActivities>({
  ...SEND_BATCH,
  summary: 'process the inbound e-mail',
});

/** Processes an inbound e-mail: a bounce or a reply. */
export function receiveInboundEmail(email: InboundEmailRef): Promise<InboundEmailResult> {
  return activities.receiveInboundEmail(email);
}
