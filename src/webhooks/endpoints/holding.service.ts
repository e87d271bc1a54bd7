import type { Db } from '../../db/connect.ts';
import { repeatForSeconds } from '../../db/deletion.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { EndpointRef } from '../contract.ts';
import { holdDeliveries } from '../deliveries.queries.ts';
import { lockEndpoint } from '../endpoints.queries.ts';

/** Few enough that nobody who needs the endpoint or its deliveries waits for long. */
const DELIVERIES_PER_STEP = 2_000;

/** Holds some of what a disabled endpoint would have got. Returns whether something may be left. Repeated, it goes on. */
export const holdSome = (db: Db, ref: EndpointRef): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const endpoint = await lockEndpoint(trx, ref.orgId, ref.endpointId);
    if (endpoint === undefined || endpoint.enabled) return false;
    return (await holdDeliveries(trx, ref, DELIVERIES_PER_STEP)) === DELIVERIES_PER_STEP;
  });

/** Holds what a disabled endpoint would have got, for some seconds. Returns whether nothing is left. */
export const holdForSeconds = (db: Db, ref: EndpointRef, isStopped = () => false): Promise<boolean> =>
  repeatForSeconds(isStopped, async () => !(await holdSome(db, ref)));
