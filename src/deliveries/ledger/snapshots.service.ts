import { z } from 'zod';
import type { Db, Trx } from '../../db/connect.ts';
import { type CreatedWithin, pagesById } from '../../db/keyset.ts';
import { listDeliveriesById, listDeliveriesInOrder } from '../queries.ts';
import { Delivery } from './schema.ts';

export { countDeliveries } from '../queries.ts';

const DELIVERIES_PER_PAGE = 500;

/** Returns deliveries by id, each in the format of the API. */
export async function getDeliverySnapshots(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, z.input<typeof Delivery>>> {
  const rows = ids.length === 0 ? [] : await listDeliveriesById(db, orgId, ids);
  return new Map(rows.map((row) => [row.id, z.encode(Delivery, row)]));
}

/** Reads all deliveries that were created within given times, each in the format of the API, some at a time. */
export async function* readDeliveries(
  trx: Trx,
  orgId: string,
  created: CreatedWithin,
): AsyncGenerator<z.input<typeof Delivery>[]> {
  const pages = pagesById(DELIVERIES_PER_PAGE, (page) => listDeliveriesInOrder(trx, orgId, { ...page, ...created }));
  for await (const rows of pages) yield rows.map((row) => z.encode(Delivery, row));
}
