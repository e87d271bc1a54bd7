import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/connect.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import type { Secrets } from '../../secrets.ts';
import type { WebhookDeliveryRef, WebhookProgress } from '../contract.ts';
import { findDelivery } from '../deliveries.queries.ts';
import { findWholeEndpoint, type WholeEndpoint } from '../endpoints.queries.ts';
import { post, receiverOf, type SentDelivery } from './posting.ts';
import { claimProbe, reserveSlots } from './recording.queries.ts';
import { recordResults } from './recording.service.ts';
import { probeDelayMs } from './schedule.rules.ts';

/** Deliveries that wait for the same probe do not look for its outcome at once. */
const MAX_SPREAD_MS = 5_000;

export interface PostingDeps {
  db: Db;
  egress: HttpClient;
  secrets: Secrets;
}

/** Tries a delivery again if it is due. Nothing is left to do once it is delivered, has failed, or is held. */
export async function retryDelivery(deps: PostingDeps, ref: WebhookDeliveryRef): Promise<WebhookProgress> {
  const { db, egress, secrets } = deps;
  const { orgId, endpointId, deliveryId } = ref;
  let due = await findDue(db, ref);
  if ('nextInMs' in due) return due;
  const waitMs = await probeWaitMs(db, due.endpoint);
  if (waitMs > 0) return { nextInMs: waitMs, details: 'waits for the endpoint: its last tries all failed' };
  const slotMs = due.endpoint.max_per_second === null ? 0 : (await reserveSlots(db, ref, 1)).in_ms;
  if (slotMs > 0) {
    await sleep(slotMs);
    due = await findDue(db, ref); // both may have changed
    if ('nextInMs' in due) return due;
  }
  const { delivery, endpoint } = due;
  const result = await post(egress, receiverOf(secrets, endpoint), delivery);
  await recordResults(db, { orgId, endpointId, ordered: endpoint.ordered, isHealthy: false }, [result]);
  const after = await findDelivery(db, orgId, endpointId, deliveryId);
  const isWaiting = after?.status === 'retrying';
  return { nextInMs: isWaiting ? Math.max(after.due_in_ms, 1) : null, details: after?.status ?? 'deleted' };
}

/** A delivery that is to be tried again now, with its endpoint. */
interface DueDelivery {
  delivery: SentDelivery;
  endpoint: WholeEndpoint;
}

/** Returns a delivery that is due, or what is left to do if it is not. */
async function findDue(
  db: Db,
  { orgId, endpointId, deliveryId }: WebhookDeliveryRef,
): Promise<DueDelivery | WebhookProgress> {
  const delivery = await findDelivery(db, orgId, endpointId, deliveryId);
  if (delivery?.status !== 'retrying') return { nextInMs: null, details: delivery?.status ?? 'deleted' };
  const endpoint = await findWholeEndpoint(db, orgId, endpointId);
  if (endpoint?.enabled !== true) return { nextInMs: null, details: 'the endpoint is disabled or deleted' };
  if (delivery.due_in_ms > 0)
    return { nextInMs: delivery.due_in_ms, details: `waits for try ${delivery.attempts + 1}` };
  return { delivery, endpoint };
}

/** Returns for how long a try has to wait because others have failed: not at all if it is the one that may go. */
async function probeWaitMs(db: Db, endpoint: WholeEndpoint): Promise<number> {
  const delayMs = probeDelayMs(endpoint.failures, endpoint.failing_for_ms);
  if (delayMs === null) return 0;
  const isTaken = endpoint.probe_in_ms <= 0 && (await claimProbe(db, refOf(endpoint), delayMs));
  return isTaken ? 0 : Math.max(endpoint.probe_in_ms, 1_000) + Math.random() * MAX_SPREAD_MS;
}

const refOf = ({ org_id, id }: WholeEndpoint) => ({ orgId: org_id, endpointId: id });
