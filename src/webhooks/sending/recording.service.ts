import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { announce } from '../../outbox/announcing.ts';
import type { EndpointRef } from '../contract.ts';
import { disableEndpoint } from '../endpoints/service.ts';
import { wakeRetries, wakeSender } from '../waking.service.ts';
import type { Attempt } from './posting.ts';
import { countFailures, recordTries, setProbe, type TriedDelivery } from './recording.queries.ts';
import { DISABLED_AFTER_MS, probeDelayMs, QUIET_AFTER_MS, retryDelayMs, trailingFailures } from './schedule.rules.ts';

/** An endpoint as its sender knows it. */
export interface RecordedEndpoint extends EndpointRef {
  ordered: boolean;
  /** Whether its last known try was accepted. */
  isHealthy: boolean;
}

/** An endpoint after some tries. */
export interface Health {
  isEnabled: boolean;
  failures: number;
}

/**
 * Records tries in the order in which they ended, starts the retries of those that failed, and disables an endpoint that
 * is gone or has failed for too long. Undefined if the endpoint was deleted.
 */
export async function recordResults(db: Db, endpoint: RecordedEndpoint, tries: Attempt[]): Promise<Health | undefined> {
  const recorded = tries.map(({ retryAfterMs, round, ...one }) => ({
    ...one,
    delayMs: retryDelayMs(round, retryAfterMs, Math.random()),
  }));
  const isHealthy = isSteady(endpoint, tries);
  if (isHealthy && !endpoint.ordered) {
    await recordTries(db, endpoint.orgId, recorded); // nothing follows from it, so it needs no transaction
    return { isEnabled: true, failures: 0 };
  }
  return inTransaction(db, async (trx) => {
    const health = isHealthy ? STEADY : await recordHealth(trx, endpoint, tries);
    const tried = await recordTries(trx, endpoint.orgId, recorded);
    if (endpoint.ordered && tried.some(({ status }) => status !== 'retrying')) await wakeSender(trx, endpoint);
    const because = tries.some(({ isGone }) => isGone) ? 'gone' : 'failing';
    const isOver = because === 'gone' || (health?.failing_for_ms ?? 0) >= DISABLED_AFTER_MS;
    if (health?.enabled === true) await (isOver ? disable(trx, endpoint, because) : startRetries(trx, endpoint, tried));
    return health && { isEnabled: health.enabled && !isOver, failures: health.failures };
  });
}

/** Nothing bad is known, and nothing bad has happened. */
const isSteady = ({ isHealthy }: RecordedEndpoint, tries: Attempt[]): boolean =>
  isHealthy && tries.every(({ isAccepted }) => isAccepted);
const STEADY = { enabled: true, failures: 0, failing_for_ms: 0 };

/** Counts failures since the last success. After many, all but one try at a time wait. */
async function recordHealth(trx: Trx, endpoint: EndpointRef, tries: Attempt[]) {
  const health = await countFailures(trx, endpoint, { ...trailingFailures(tries), quietAfterMs: QUIET_AFTER_MS });
  const delayMs = probeDelayMs(health?.failures ?? 0, health?.failing_for_ms ?? 0);
  if (delayMs !== null) await setProbe(trx, endpoint, delayMs);
  return health;
}

/** Starts the retries of what failed. */
function startRetries(trx: Trx, { orgId, endpointId }: EndpointRef, tried: TriedDelivery[]): Promise<void> {
  const failed = tried.filter(({ status }) => status === 'retrying');
  const refs = failed.map(({ id, event_id, delay_ms }) => ({
    orgId,
    endpointId,
    eventId: event_id,
    deliveryId: id,
    delayMs: delay_ms ?? 0,
  }));
  return wakeRetries(trx, orgId, refs);
}

async function disable(trx: Trx, { orgId, endpointId }: EndpointRef, because: 'gone' | 'failing'): Promise<void> {
  await disableEndpoint(trx, { orgId, endpointId }, because);
  await announce(trx, orgId, [{ type: 'webhook-disabled', subject_id: endpointId, payload: { because } }]);
}
