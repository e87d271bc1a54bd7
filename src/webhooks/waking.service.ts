import type { Trx } from '../db/connect.ts';
import { notify } from '../db/notify.ts';
import { afterCommit } from '../db/transaction.ts';
import { enqueue, signalWithStart } from '../outbox/outbox.ts';
import { WAKE } from '../temporal/contract.ts';
import { DELIVER_WEBHOOK, type EndpointRef, SEND_WEBHOOKS, type WebhookDeliveryRef } from './contract.ts';
import { listIdleEndpoints } from './endpoints.queries.ts';

/** The channel of hints about new deliveries. Each names an endpoint. */
export const WEBHOOKS_CHANNEL = 'webhooks';

/** Has an endpoint's pending deliveries sent once the transaction has committed. */
export const wakeSender = (trx: Trx, endpoint: EndpointRef): Promise<void> =>
  wakeSenders(trx, endpoint.orgId, [endpoint.endpointId]);

/** Has the pending deliveries of some endpoints sent once the transaction has committed. */
export async function wakeSenders(trx: Trx, orgId: string, endpointIds: string[]): Promise<void> {
  const commands = endpointIds.map((endpointId) =>
    signalWithStart(SEND_WEBHOOKS, { orgId, endpointId }, WAKE, {
      subjectId: endpointId,
      summary: 'first tries of webhooks',
    }),
  );
  await enqueue(trx, orgId, ...commands);
  tellSenders(trx, endpointIds);
}

/**
 * Like wakeSenders, without signals to senders that work: they get the news, or look again by themselves. The caller has
 * called lockSendersShared.
 */
export async function wakeIdleSenders(trx: Trx, orgId: string, endpointIds: string[]): Promise<void> {
  if (endpointIds.length === 0) return;
  await wakeSenders(trx, orgId, await listIdleEndpoints(trx, orgId, endpointIds));
  tellSenders(trx, endpointIds);
}

/** Gives the news to senders that wait for it. Nothing is lost if it does not arrive. */
function tellSenders(trx: Trx, endpointIds: string[]): void {
  for (const endpointId of endpointIds) afterCommit(trx, (db) => notify(db, WEBHOOKS_CHANNEL, endpointId));
}

/** Starts the retries of some deliveries once the transaction has committed. One that runs reads the database again. */
export async function wakeRetries(trx: Trx, orgId: string, deliveries: WebhookDeliveryRef[]): Promise<void> {
  const commands = deliveries.map((delivery) =>
    signalWithStart(DELIVER_WEBHOOK, delivery, WAKE, {
      subjectId: delivery.deliveryId,
      summary: 'retries of a webhook',
    }),
  );
  await enqueue(trx, orgId, ...commands);
}
