import {
  condition,
  continueAsNew,
  patched,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks.ts';
import { WAKE } from '../src/temporal/contract.ts';
import type { EndpointRef, WebhookDeliveryRef } from '../src/webhooks/contract.ts';
import { SEND_WEBHOOKS } from './activity-options.ts';
import { countSignals } from './signals.ts';

const { sendPendingWebhooks } = proxyActivities<WebhookActivities>({ ...SEND_WEBHOOKS, summary: 'send new webhooks' });
const { retryWebhook } = proxyActivities<WebhookActivities>({ ...SEND_WEBHOOKS, summary: 'send the webhook again' });

/** Sends an endpoint's pending webhooks, and waits where its last tries have all failed. */
export async function sendWebhooks(endpoint: EndpointRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (;;) {
    const seen = signals();
    const { nextInMs, details } = await sendPendingWebhooks(endpoint);
    setCurrentDetails(details);
    const isWoken = () => signals() > seen;
    if (nextInMs === null && !isWoken()) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof sendWebhooks>(endpoint);
    if (nextInMs !== null && nextInMs > 0) await condition(isWoken, nextInMs, { summary: details });
  }
}

/** Tries one webhook again by the schedule of retries, until it is delivered or has failed. */
export async function deliverWebhook(delivery: WebhookDeliveryRef): Promise<void> {
  const signals = countSignals(WAKE);
  let nextInMs: number | null = delivery.delayMs;
  let details = 'waits for the second try';
  do {
    const seen = signals();
    setCurrentDetails(details);
    if (nextInMs > 0) await condition(() => signals() > seen, nextInMs, { summary: details });
    ({ nextInMs, details } = await retryWebhook(delivery));
    // The marker comes where the first workflows need it: histories of before replay, and short ones have none.
    if (nextInMs !== null && workflowInfo().continueAsNewSuggested && patched('continue-as-new'))
      await continueAsNew<typeof deliverWebhook>({ ...delivery, delayMs: signals() > seen ? 0 : nextInMs });
  } while (nextInMs !== null);
}
