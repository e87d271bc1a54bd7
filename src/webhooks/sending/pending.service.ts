import { repeatForSeconds } from '../../db/deletion.ts';
import { inTransaction } from '../../db/transaction.ts';
import { isSendingPaused } from '../../deliveries/pause/service.ts';
import type { EndpointRef, WebhookProgress } from '../contract.ts';
import { recoverSome } from '../deliveries/recovery.service.ts';
import { listPendingDeliveries } from '../deliveries/shared.queries.ts';
import { holdForSeconds } from '../endpoints/holding.service.ts';
import { findWholeEndpoint, type WholeEndpoint } from '../endpoints/shared.queries.ts';
import { post, receiverOf } from './posting.ts';
import { claimProbe, setSending } from './recording.queries.ts';
import { recordResults } from './recording.service.ts';
import { PAUSED, probeDelayMs } from './schedule.rules.ts';
import { type SenderDeps, sendWhileHealthy } from './sender.service.ts';

/**
 * Makes the first tries of an endpoint's pending deliveries, many at once, until there are none and nothing changes for a while.
 * After many failures in a row one try goes at a time, and the time until the next is returned.
 */
export async function sendPending(deps: SenderDeps, ref: EndpointRef): Promise<WebhookProgress> {
  await inTransaction(deps.db, (trx) => setSending(trx, ref, true));
  for (;;) {
    const progress = await sendOnce(deps, ref);
    if (progress.nextInMs !== null) return progress;
    await inTransaction(deps.db, (trx) => setSending(trx, ref, false));
    if (!(await hasWork(deps, ref))) return progress;
    await inTransaction(deps.db, (trx) => setSending(trx, ref, true));
  }
}

/** Returns whether something came in before the sender had said that it ends. */
async function hasWork({ db }: SenderDeps, ref: EndpointRef): Promise<boolean> {
  const endpoint = await findWholeEndpoint(db, ref.orgId, ref.endpointId);
  if (endpoint?.enabled !== true) return false;
  if (endpoint.recoveries.length > 0) return true;
  return (await listPendingDeliveries(db, ref, { limit: 1, except: [], isOrdered: endpoint.ordered })).length > 0;
}

async function sendOnce(deps: SenderDeps, ref: EndpointRef): Promise<WebhookProgress> {
  const { db, isStopped } = deps;
  const endpoint = await findWholeEndpoint(db, ref.orgId, ref.endpointId);
  if (endpoint?.enabled !== true) {
    const isHeld = await holdForSeconds(db, ref, isStopped);
    return { nextInMs: isHeld ? null : 0, details: 'the endpoint is disabled or deleted' };
  }
  if (endpoint.recoveries.length > 0) await repeatForSeconds(isStopped, async () => !(await recoverSome(db, ref)));
  if (await isSendingPaused(db)) return PAUSED;
  const probeDelay = probeDelayMs(endpoint.failures, endpoint.failing_for_ms);
  if (probeDelay !== null) return probe(deps, ref, endpoint, probeDelay);
  return sendWhileHealthy(deps, ref, endpoint);
}

/** Makes the single try that may go now, with the oldest delivery. */
async function probe(deps: SenderDeps, ref: EndpointRef, endpoint: WholeEndpoint, delayMs: number) {
  const details = `${endpoint.failures} failures in a row: one try at a time`;
  const [oldest] = await listPendingDeliveries(deps.db, ref, { limit: 1, except: [], isOrdered: endpoint.ordered });
  if (oldest === undefined) return { nextInMs: null, details };
  if (endpoint.probe_in_ms > 0) return { nextInMs: endpoint.probe_in_ms, details };
  if (!(await claimProbe(deps.db, ref, delayMs))) return { nextInMs: 1_000, details };
  const result = await post(deps.egress, receiverOf(deps.secrets, endpoint), oldest);
  await recordResults(deps.db, { ...ref, ordered: endpoint.ordered, isHealthy: false }, [result]);
  return { nextInMs: 0, details };
}
