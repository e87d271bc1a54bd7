import { proxyActivities, sleep } from '@temporalio/workflow';
import type { MessageRequestActivities } from '../../activities/message-requests.ts';
import type { SendEmailsInput } from '../../src/deliveries/contract.ts';
import { SEND_BATCH } from '../activity-options.ts';

const { sendRequestedEmails } = proxyActivities<MessageRequestActivities>({
  ...SEND_BATCH,
  summary: 'send the requested e-mails',
});

/** Sends the e-mails of one request after its delay. E-mails deferred by the mail server are sent again when due. */
export async function sendEmails({ orgId, requestId, delayMs }: SendEmailsInput): Promise<void> {
  if (delayMs > 0) await sleep(delayMs, { summary: 'waiting for the requested delay' });
  for (;;) {
    const { hasMore, nextDueInMs } = await sendRequestedEmails({ orgId, requestId });
    if (hasMore) continue;
    if (nextDueInMs === null) return;
    await sleep(Math.max(nextDueInMs, 1), { summary: 'waiting to retry the mail server' });
  }
}
