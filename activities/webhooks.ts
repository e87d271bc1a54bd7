import { Context } from '@temporalio/activity';
import type { EndpointRef, WebhookDeliveryRef, WebhookProgress } from '../src/webhooks/contract.ts';
import { sendPending } from '../src/webhooks/sending/pending.service.ts';
import { retryDelivery } from '../src/webhooks/sending/retries.service.ts';
import type { SenderDeps } from '../src/webhooks/sending/sender.service.ts';

export interface WebhookActivityDeps extends Omit<SenderDeps, 'isStopped'> {
  /** Aborted when the worker shuts down: senders then begin no more tries. */
  stopping: AbortSignal;
}

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

/** Both can run twice: a receiver may get the same `webhook-id` again, and that is what it is for. */
export const createWebhookActivities = ({ stopping, ...deps }: WebhookActivityDeps) => ({
  /** Makes the first tries of an endpoint's webhooks. */
  sendPendingWebhooks(endpoint: EndpointRef): Promise<WebhookProgress> {
    const { cancellationSignal } = Context.current();
    return sendPending({ ...deps, isStopped: () => stopping.aborted || cancellationSignal.aborted }, endpoint);
  },

  /** Makes the next try of one webhook. */
  retryWebhook: (delivery: WebhookDeliveryRef): Promise<WebhookProgress> => retryDelivery(deps, delivery),
});
