import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound } from '../../errors.ts';
import type { EndpointRef } from '../contract.ts';
import type { Recover } from '../endpoints/schema.ts';
import { getEndpoint, getLockedEnabledEndpoint } from '../endpoints/service.ts';
import { updateRecoveries } from '../endpoints/shared.queries.ts';
import type { Recovery, WebhookDeliveriesTable } from '../table.ts';
import { wakeSender } from '../waking.service.ts';
import { countRecoverable, findShownDelivery, listAttempts, listDeliveries, requeueDelivery } from './queries.ts';
import { requeueSome } from './recovery.service.ts';
import type { ListDeliveries } from './schema.ts';
import { shownStatus, storedStates } from './states.rules.ts';

/** Of one endpoint, not finished. */
const MAX_RECOVERIES = 20;

/** Returns a page of an endpoint's deliveries by creation. Throws notFound. */
export async function pageOfDeliveries(db: Db, endpoint: EndpointRef, query: ListDeliveries) {
  const { enabled } = await getEndpoint(db, endpoint.orgId, endpoint.endpointId);
  const states = query.status && storedStates([query.status], enabled);
  const { items, next } = await pageOf(db, query, (page) => listDeliveries(db, endpoint, { ...query, states }, page));
  return { items: items.map((delivery) => shown(delivery, enabled)), next };
}

function shown<Row extends Pick<WebhookDeliveriesTable, 'status' | 'next_attempt_at'>>(row: Row, isEnabled: boolean) {
  const status = shownStatus(row.status, isEnabled);
  return { ...row, status, next_attempt_at: status === 'held' ? null : row.next_attempt_at };
}

/** Returns a delivery with its tries. Throws notFound. */
export async function getDelivery(db: Db, endpoint: EndpointRef, id: string) {
  const { enabled } = await getEndpoint(db, endpoint.orgId, endpoint.endpointId);
  const delivery = await findShownDelivery(db, endpoint, id);
  if (delivery === undefined) throw notFound('webhook delivery');
  return { ...shown(delivery, enabled), attempt_log: await listAttempts(db, endpoint.orgId, id) };
}

/** Sends a delivery again, in whatever state it is, under the same `webhook-id`. Throws notFound, and conflict while its endpoint is disabled. */
export function resendDelivery(db: Db, endpoint: EndpointRef, id: string) {
  return inTransaction(db, async (trx) => {
    await getLockedEnabledEndpoint(trx, endpoint.orgId, endpoint.endpointId);
    await getDelivery(trx, endpoint, id);
    await requeueDelivery(trx, endpoint, id);
    await wakeSender(trx, endpoint);
    return getDelivery(trx, endpoint, id);
  });
}

/**
 * Sends deliveries of a period again, or only counts them. Of many, the sender of the endpoint makes the rest pending.
 * Throws notFound, and conflict while the endpoint is disabled, or has too many recoveries that are not finished.
 */
export function recoverDeliveries(db: Db, endpoint: EndpointRef, { since, until, states, dry_run }: Recover) {
  const { orgId, endpointId } = endpoint;
  return inTransaction(db, async (trx) => {
    const locked = dry_run ? undefined : await getLockedEnabledEndpoint(trx, orgId, endpointId);
    const { enabled } = locked ?? (await getEndpoint(trx, orgId, endpointId));
    const covered = {
      since,
      until: until ?? new Date().toISOString(),
      states: storedStates([...new Set(states)], enabled),
    };
    const counts = await countRecoverable(trx, endpoint, covered);
    if (locked !== undefined) await recover(trx, endpoint, locked.recoveries, { ...covered, after: null });
    const by_state = { held: 0, failed: 0, retrying: 0, pending: 0 };
    for (const { status, count } of counts) by_state[shownStatus(status, enabled) as keyof typeof by_state] += count;
    return {
      count: counts.reduce((sum, { count }) => sum + count, 0),
      by_state,
      until: new Date(covered.until),
      dry_run,
    };
  });
}

async function recover(trx: Trx, endpoint: EndpointRef, unfinished: Recovery[], recovery: Recovery): Promise<void> {
  if (unfinished.length >= MAX_RECOVERIES)
    throw conflict(`${MAX_RECOVERIES} recoveries of this endpoint are not finished: wait for them`);
  const left = await requeueSome(trx, endpoint, recovery);
  if (left !== null) await updateRecoveries(trx, endpoint, [...unfinished, left]);
  await wakeSender(trx, endpoint);
}
