import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import type { EndpointRef } from '../contract.ts';
import type { Recover } from '../endpoints/schema.ts';
import { getEndpoint, getLockedEnabledEndpoint, getLockedEndpoint } from '../endpoints/service.ts';
import { wakeSender } from '../waking.service.ts';
import {
  countRecoverable,
  findShownDelivery,
  listAttempts,
  listDeliveries,
  requeueDeliveries,
  requeueDelivery,
} from './queries.ts';
import type { ListDeliveries } from './schema.ts';

/** Returns a page of an endpoint's deliveries, oldest first. Throws notFound. */
export async function pageOfDeliveries(db: Db, endpoint: EndpointRef, query: ListDeliveries) {
  await getEndpoint(db, endpoint.orgId, endpoint.endpointId);
  return pageOf(db, query, (place) => listDeliveries(db, endpoint, query, place));
}

/** Returns a delivery with its tries. Throws notFound. */
export async function getDelivery(db: Db, endpoint: EndpointRef, id: string) {
  await getEndpoint(db, endpoint.orgId, endpoint.endpointId);
  const delivery = await findShownDelivery(db, endpoint, id);
  if (delivery === undefined) throw notFound('webhook delivery');
  return { ...delivery, attempt_log: await listAttempts(db, endpoint.orgId, id) };
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

/** Sends deliveries of a period again, or only counts them. Throws notFound, and conflict while the endpoint is disabled. */
export function recoverDeliveries(db: Db, endpoint: EndpointRef, { since, until, states, dry_run }: Recover) {
  return inTransaction(db, async (trx) => {
    await (dry_run ? getLockedEndpoint : getLockedEnabledEndpoint)(trx, endpoint.orgId, endpoint.endpointId);
    const recovery = { since, until, states };
    const counts = await (dry_run ? countRecoverable : requeueDeliveries)(trx, endpoint, recovery);
    if (!dry_run) await wakeSender(trx, endpoint);
    const by_state = { held: 0, failed: 0, retrying: 0 };
    for (const { status, count } of counts) Object.assign(by_state, { [status]: count });
    return { count: counts.reduce((sum, { count }) => sum + count, 0), by_state, dry_run };
  });
}
