import type { Trx } from '../db/connect.ts';
import { notify } from '../db/notify.ts';
import { afterCommit, notifyAfterCommit } from '../db/transaction.ts';
import { enqueue, signalWithStart } from '../outbox/outbox.ts';
import { WAKE } from '../temporal/contract.ts';
import { DELIVER_WEBHOOK, type EndpointRef, SEND_WEBHOOKS, type WebhookDeliveryRef } from './contract.ts';
import type { StoredDeliveries } from './deliveries.queries.ts';
import type { WebhookNews } from './sending/news.ts';

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
 * Has deliveries sent that this transaction has stored, once it has committed: by the sender of this process if it can
 * take them, else by one that gets the news. A sender that works, or comes back by itself, needs no signal. The caller
 * has called lockTargets.
 */
export async function sendStored(
  trx: Trx,
  orgId: string,
  stored: StoredDeliveries[],
  news: Pick<WebhookNews, 'handOver'>,
): Promise<void> {
  const idle = stored.filter(({ is_sending }) => !is_sending);
  await wakeSenders(
    trx,
    orgId,
    idle.map(({ endpoint_id }) => endpoint_id),
  );
  for (const one of stored)
    afterCommit(trx, (db) => {
      if (!news.handOver(one)) notify(db, WEBHOOKS_CHANNEL, one.endpoint_id);
    });
}

/** Gives the news to senders that wait for it. Nothing is lost if it does not arrive. */
function tellSenders(trx: Trx, endpointIds: string[]): void {
  for (const endpointId of endpointIds) notifyAfterCommit(trx, WEBHOOKS_CHANNEL, endpointId);
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
