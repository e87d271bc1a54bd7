import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/connect.ts';
import { isSendingPaused } from '../../deliveries/pause/service.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import type { Secrets } from '../../secrets.ts';
import type { WebhookDeliveryRef, WebhookProgress } from '../contract.ts';
import { findDelivery } from '../deliveries/shared.queries.ts';
import { findWholeEndpoint, type WholeEndpoint } from '../endpoints/shared.queries.ts';
import { post, receiverOf, type SentDelivery } from './posting.ts';
import { claimProbe, reserveNearSlot } from './recording.queries.ts';
import { recordResults } from './recording.service.ts';
import { NEAR_SLOT_MS, pausedRetry, probeDelayMs, slotWaitMs } from './schedule.rules.ts';

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
  if (await isSendingPaused(db)) return pausedRetry(Math.random());
  if (isBeforeProbe(due.endpoint)) return waitForProbe(due.endpoint);
  if (due.endpoint.max_per_second !== null) {
    const slotMs = await reserveNearSlot(db, ref, NEAR_SLOT_MS);
    if (slotMs === undefined) return waitForSlot(due);
    if (slotMs > 0) {
      await sleep(slotMs);
      due = await findDue(db, ref); // both may have changed
      if ('nextInMs' in due) return due;
    }
  }
  const { delivery, endpoint } = due;
  if (!(await mayGo(db, endpoint))) return waitForProbe(endpoint);
  const result = await post(egress, receiverOf(secrets, endpoint), delivery);
  await recordResults(db, { orgId, endpointId, ordered: endpoint.ordered, isHealthy: false }, [result]);
  const after = await findDelivery(db, orgId, endpointId, deliveryId);
  const isWaiting = after?.status === 'retrying';
  return { nextInMs: isWaiting ? Math.max(after.due_in_ms, 1) : null, details: after?.status ?? 'deleted' };
}

/** A delivery that is to be tried again now, with its endpoint. */
interface DueDelivery {
  delivery: SentDelivery;
  overdueMs: number;
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
  return { delivery, overdueMs: -delivery.due_in_ms, endpoint };
}

const waitForSlot = ({ overdueMs }: DueDelivery): WebhookProgress => ({
  nextInMs: slotWaitMs(overdueMs, Math.random()),
  details: 'waits for its turn: the endpoint takes only so many a second',
});

/** Whether others have failed, and the one try that may go is not due. */
const isBeforeProbe = ({ failures, failing_for_ms, probe_in_ms }: WholeEndpoint): boolean =>
  probeDelayMs(failures, failing_for_ms) !== null && probe_in_ms > 0;

/** Whether a try may go now: after failures of others, only if it is the one. */
async function mayGo(db: Db, endpoint: WholeEndpoint): Promise<boolean> {
  const delayMs = probeDelayMs(endpoint.failures, endpoint.failing_for_ms);
  return delayMs === null || (!isBeforeProbe(endpoint) && (await claimProbe(db, refOf(endpoint), delayMs)));
}

const waitForProbe = ({ probe_in_ms }: WholeEndpoint): WebhookProgress => ({
  nextInMs: Math.max(probe_in_ms, 1_000) + Math.random() * MAX_SPREAD_MS,
  details: 'waits for the endpoint: its last tries all failed',
});

const refOf = ({ org_id, id }: WholeEndpoint) => ({ orgId: org_id, endpointId: id });
