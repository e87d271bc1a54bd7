import type { Db, Trx } from '../db/connect.ts';
import { notify } from '../db/notify.ts';
import { afterCommit, notifyAfterCommit, whileCommitting } from '../db/transaction.ts';
import { type Command, enqueue, insertOfCommands, signalWithStart } from '../outbox/outbox.ts';
import { wakeForCommands } from '../outbox/wake.ts';
import { WAKE } from '../temporal/contract.ts';
import { DELIVER_WEBHOOK, type EndpointRef, SEND_WEBHOOKS, type WebhookDeliveryRef } from './contract.ts';
import { insertDeliveries, type NewDelivery, type StoredDeliveries } from './deliveries.queries.ts';
import type { WebhookNews } from './sending/news.ts';
import { dataAsStored } from './sending/stored-data.rules.ts';

/** The channel of hints about new deliveries. Each names an endpoint. */
export const WEBHOOKS_CHANNEL = 'webhooks';

/** Has an endpoint's pending deliveries sent once the transaction has committed. */
export const wakeSender = (trx: Trx, endpoint: EndpointRef): Promise<void> =>
  wakeSenders(trx, endpoint.orgId, [endpoint.endpointId]);

/** Has the pending deliveries of some endpoints sent once the transaction has committed. */
export async function wakeSenders(trx: Trx, orgId: string, endpointIds: string[]): Promise<void> {
  await enqueue(trx, orgId, ...endpointIds.map((endpointId) => wakeUpOf({ orgId, endpointId })));
  for (const endpointId of endpointIds) notifyAfterCommit(trx, WEBHOOKS_CHANNEL, endpointId); // nothing is lost without it
}

const wakeUpOf = (endpoint: EndpointRef): Command =>
  signalWithStart(SEND_WEBHOOKS, endpoint, WAKE, {
    subjectId: endpoint.endpointId,
    summary: 'first tries of webhooks',
  });

/** Deliveries to be sent to one endpoint. */
export interface ForEndpoint {
  endpointId: string;
  /** The version of the endpoint. */
  version: string;
  deliveries: NewDelivery[];
}

/**
 * Stores deliveries and has them sent: while they are being committed, by the sender of this process if it can take them,
 * else afterwards by one that gets the news. Should the commit fail, the event makes the same deliveries again. A sender
 * that works, or comes back by itself, needs no signal. The caller has called lockTargets.
 */
export async function sendDeliveries(
  trx: Trx,
  orgId: string,
  forEndpoints: ForEndpoint[],
  news: Pick<WebhookNews, 'handOver'>,
): Promise<void> {
  const deliveries = forEndpoints.flatMap((own) => own.deliveries);
  const wakeUps = forEndpoints.map(({ endpointId }) => wakeUpOf({ orgId, endpointId }));
  const { rows } = await insertDeliveries(trx, orgId, deliveries, insertOfCommands(orgId, wakeUps));
  const takers = new Map<string, Promise<boolean>>();
  whileCommitting(trx, (areStored) => {
    for (const one of forEndpoints) takers.set(one.endpointId, handOver({ orgId, rows, areStored, news }, one));
  });
  const tell = async (db: Db) => {
    const stored = await rows;
    if (stored.some(({ is_sending }) => !is_sending)) wakeForCommands(db);
    for (const { endpoint_id } of stored)
      if ((await takers.get(endpoint_id)) !== true) notify(db, WEBHOOKS_CHANNEL, endpoint_id);
  };
  afterCommit(trx, (db) => void tell(db));
}

interface Handing {
  orgId: string;
  rows: Promise<StoredDeliveries[]>;
  areStored: Promise<boolean>;
  news: Pick<WebhookNews, 'handOver'>;
}

/** Hands an endpoint's deliveries over to its sender. Those of sessions wait for their numbers. Resolves to whether it takes them. */
async function handOver(
  { orgId, rows, areStored, news }: Handing,
  { endpointId, version, deliveries }: ForEndpoint,
): Promise<boolean> {
  const areNumbered = deliveries.some(({ session_id }) => session_id !== null);
  const sequences: Record<string, number | null> | null = areNumbered ? await sequencesOf(rows, endpointId) : {};
  if (sequences === null) return false;
  const list = () =>
    deliveries.map(({ id, event_type, occurred_at, data }) => ({
      ...{ id, org_id: orgId, event_type, occurred_at, data: dataAsStored(data) },
      ...{ sequence: sequences[id] ?? null, round_attempts: 0 },
    }));
  return news.handOver({ endpointId, version, list, areStored });
}

async function sequencesOf(
  rows: Promise<StoredDeliveries[]>,
  endpointId: string,
): Promise<Record<string, number | null> | null> {
  const stored = await rows.catch(() => []);
  return stored.find(({ endpoint_id }) => endpoint_id === endpointId)?.sequences ?? null;
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
