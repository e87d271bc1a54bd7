import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { conflict, notFound } from '../../errors.ts';
import {
  countReasons,
  findDelivery,
  findDeliveryProgress,
  listDeliveries,
  listDeliveryCallbacks,
  settleUnknownDelivery,
} from '../queries.ts';
import type { DeliveryFilters, ListDeliveries } from './schema.ts';

/** Returns a page of the deliveries matching the filters, by creation. */
export const pageOfDeliveries = (db: Db, orgId: string, query: ListDeliveries) =>
  pageOf(db, query, (page) => listDeliveries(db, orgId, query, page));

const MAX_REASONS_COUNTED = 10_000;

/** Counts the newest deliveries that have a reason, at most 10,000, by what the reasons have in common. */
export async function countDeliveryReasons(db: Db, orgId: string, filters: DeliveryFilters) {
  const items = await countReasons(db, orgId, { ...filters, limit: MAX_REASONS_COUNTED });
  const counted = items.reduce((sum, { count }) => sum + count, 0);
  return { items, counted, is_at_least: counted === MAX_REASONS_COUNTED };
}

export async function getDelivery(db: Db, orgId: string, id: string) {
  const delivery = await findDelivery(db, orgId, id);
  if (delivery === undefined) throw notFound('delivery');
  return delivery;
}

/** Returns a delivery with its provider's responses and reports. Throws notFound. */
export async function describeDelivery(db: Db, orgId: string, id: string) {
  const delivery = await getDelivery(db, orgId, id);
  const [course, callbacks] = await Promise.all([
    findDeliveryProgress(db, orgId, id),
    listDeliveryCallbacks(db, orgId, id),
  ]);
  return { ...delivery, ...course, callbacks };
}

/**
 * Records an operator's finding about a delivery without a known outcome. Throws notFound, and conflict for any other
 * delivery.
 */
export async function resolveDelivery(db: Db, orgId: string, id: string, outcome: 'sent' | 'failed') {
  const settled = await settleUnknownDelivery(db, orgId, id, outcome);
  if (settled !== undefined) return settled;
  const { status } = await getDelivery(db, orgId, id);
  throw conflict(`status: only a delivery that is unknown can be settled by hand; this one is ${status}`);
}
