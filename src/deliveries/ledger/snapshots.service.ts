import { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import { listDeliveriesById } from '../queries.ts';
import { Delivery } from './schema.ts';

/** Returns deliveries by id, each in the format of the API. */
export async function getDeliverySnapshots(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, z.input<typeof Delivery>>> {
  const rows = ids.length === 0 ? [] : await listDeliveriesById(db, orgId, ids);
  return new Map(rows.map((row) => [row.id, z.encode(Delivery, row)]));
}
