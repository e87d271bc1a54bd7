import type { WorkflowContract } from '../temporal/contract.ts';

export interface EndpointRef {
  orgId: string;
  endpointId: string;
}

/** Makes the first tries of an endpoint's deliveries, batch after batch, until none is left. */
export const SEND_WEBHOOKS: WorkflowContract<EndpointRef> = {
  type: 'sendWebhooks',
  taskQueue: 'webhooks',
  workflowId: ({ endpointId }) => `webhook-endpoint/${endpointId}`,
};

export interface WebhookDeliveryRef {
  orgId: string;
  endpointId: string;
  eventId: string;
  deliveryId: string;
  /** Time from the failure of the first try to the second. */
  delayMs: number;
}

/** Tries one delivery again, by the schedule of retries. */
export const DELIVER_WEBHOOK: WorkflowContract<WebhookDeliveryRef> = {
  type: 'deliverWebhook',
  taskQueue: 'webhooks',
  workflowId: ({ endpointId, eventId }) => `webhook-delivery/${endpointId}/${eventId}`,
};

/** What is left to do after an activity. */
export interface WebhookProgress {
  /** Time until the next look, 0 for at once, or null when nothing is left. */
  nextInMs: number | null;
  /** One line for the operator. */
  details: string;
}
