import type { Db, Trx } from '../../db/connect.ts';
import { repeatForSeconds } from '../../db/deletion.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { EndpointRef } from '../contract.ts';
import { DELIVERIES_PER_STEP, holdDeliveries } from '../deliveries/shared.queries.ts';
import { lockEndpoint } from './shared.queries.ts';

/** Holds some of what a locked, disabled endpoint would have got. Returns whether something may be left. */
export const holdNext = async (trx: Trx, ref: EndpointRef): Promise<boolean> =>
  (await holdDeliveries(trx, ref, DELIVERIES_PER_STEP)) === DELIVERIES_PER_STEP;

const holdSome = (db: Db, ref: EndpointRef): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const endpoint = await lockEndpoint(trx, ref.orgId, ref.endpointId);
    return endpoint?.enabled === false && holdNext(trx, ref);
  });

/** Holds what a disabled endpoint would have got, for some seconds. Returns whether nothing is left. */
export const holdForSeconds = (db: Db, ref: EndpointRef, isStopped = () => false): Promise<boolean> =>
  repeatForSeconds(isStopped, async () => !(await holdSome(db, ref)));
