import type { Db, Trx } from '../db/connect.ts';
import { hasFastPaths } from '../db/fast-paths.ts';
import { notify } from '../db/notify.ts';
import { afterCommit, notifyAfterCommit } from '../db/transaction.ts';
import { type Command, enqueue, insertOfCommands, signalWithStart } from '../outbox/outbox.ts';
import { wakeForCommands } from '../outbox/wake.ts';
import { WAKE } from '../temporal/contract.ts';
import { DELIVER_WEBHOOK, type EndpointRef, SEND_WEBHOOKS, type WebhookDeliveryRef } from './contract.ts';
import { insertDeliveries, type NewDelivery, type StoredDeliveries } from './deliveries/shared.queries.ts';
import { endpointChangeHint, type SenderRegistry } from './sending/sender-registry.ts';
import { dataAsStored } from './sending/stored-data.rules.ts';

/** The channel of hints about new deliveries, and about changes of endpoints. Each names an endpoint. */
export const WEBHOOKS_CHANNEL = 'webhooks';

/** Has an endpoint's pending deliveries sent once the transaction has committed. */
export const wakeSender = (trx: Trx, endpoint: EndpointRef): Promise<void> =>
  wakeSenders(trx, endpoint.orgId, [endpoint.endpointId]);

/** Has the pending deliveries of some endpoints sent once the transaction has committed. */
export async function wakeSenders(trx: Trx, orgId: string, endpointIds: string[]): Promise<void> {
  await enqueue(trx, orgId, ...endpointIds.map((endpointId) => wakeUpOf({ orgId, endpointId })));
  for (const endpointId of endpointIds) notifyAfterCommit(trx, WEBHOOKS_CHANNEL, endpointId); // nothing is lost without it
}

/** Has a sender that works read the endpoint and its deliveries again once the transaction has committed, before it begins another try. */
export function notifyEndpointChange(trx: Trx, endpointId: string): void {
  notifyAfterCommit(trx, WEBHOOKS_CHANNEL, endpointChangeHint(endpointId));
}

const wakeUpOf = (endpoint: EndpointRef): Command =>
  signalWithStart(SEND_WEBHOOKS, endpoint, WAKE, {
    subjectId: endpoint.endpointId,
    summary: 'Send new webhooks of an endpoint',
  });

/**
 * Stores deliveries and has them sent, once the transaction has committed: by the sender of this process if there is
 * one and fast paths are on, else by one that is notified and reads them. A sender that works, or comes back by itself,
 * needs no signal. The caller has called lockTargets.
 */
export async function sendDeliveries(
  trx: Trx,
  orgId: string,
  deliveries: NewDelivery[],
  senders: Pick<SenderRegistry, 'handOver'>,
): Promise<void> {
  const endpointIds = [...new Set(deliveries.map(({ endpoint_id }) => endpoint_id))];
  const wakeUps = endpointIds.map((endpointId) => wakeUpOf({ orgId, endpointId }));
  const { rows } = await insertDeliveries(trx, orgId, deliveries, insertOfCommands(orgId, wakeUps));
  const handOver = async (db: Db) => {
    const stored = await rows;
    if (stored.some(({ is_sending }) => !is_sending)) wakeForCommands(db);
    for (const one of stored)
      if (!hasFastPaths(db) || !senders.handOver({ ...one, list: () => sentOf(orgId, deliveries, one) }))
        notify(db, WEBHOOKS_CHANNEL, one.endpoint_id);
  };
  afterCommit(trx, (db) => void handOver(db));
}

/** Returns those of the deliveries that are stored for an endpoint. */
const sentOf = (orgId: string, deliveries: NewDelivery[], { endpoint_id, sequences }: StoredDeliveries) =>
  deliveries
    .filter((delivery) => delivery.endpoint_id === endpoint_id && delivery.id in sequences)
    .map(({ id, event_type, occurred_at, data }) => ({
      id,
      org_id: orgId,
      event_type,
      occurred_at,
      sequence: sequences[id] ?? null,
      data: dataAsStored(data),
      round_attempts: 0,
    }));

/** Starts the retries of some deliveries once the transaction has committed. One that runs reads the database again. */
export async function wakeRetries(trx: Trx, orgId: string, deliveries: WebhookDeliveryRef[]): Promise<void> {
  const commands = deliveries.map((delivery) =>
    signalWithStart(DELIVER_WEBHOOK, delivery, WAKE, {
      subjectId: delivery.deliveryId,
      summary: 'Send a webhook again',
    }),
  );
  await enqueue(trx, orgId, ...commands);
}
