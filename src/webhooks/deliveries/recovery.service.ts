import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { EndpointRef } from '../contract.ts';
import { lockEndpoint, updateRecoveries } from '../endpoints/shared.queries.ts';
import type { Recovery } from '../table.ts';
import { requeueNext } from './queries.ts';
import { DELIVERIES_PER_STEP } from './shared.queries.ts';

/** Makes some of what a recovery covers pending again. Returns what is left of the recovery: null if nothing is. */
export async function requeueSome(trx: Trx, endpoint: EndpointRef, recovery: Recovery): Promise<Recovery | null> {
  let left: Recovery | null = recovery;
  for (let done = 0; left !== null && done < DELIVERIES_PER_STEP; ) {
    const limit = DELIVERIES_PER_STEP - done;
    const { count, last } = await requeueNext(trx, endpoint, left, limit);
    done += count;
    left = count === limit ? { ...left, after: last } : withoutFirstState(left);
  }
  return left;
}

function withoutFirstState({ states: [, ...states], ...recovery }: Recovery): Recovery | null {
  return states.length === 0 ? null : { ...recovery, states, after: null };
}

/** Goes on with the oldest recovery of an enabled endpoint. Returns whether any is left. Repeated, it goes on. */
export const recoverSome = (db: Db, ref: EndpointRef): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const endpoint = await lockEndpoint(trx, ref.orgId, ref.endpointId);
    const [first, ...others] = endpoint?.enabled === true ? endpoint.recoveries : [];
    if (first === undefined) return false;
    const left = await requeueSome(trx, ref, first);
    const recoveries = left === null ? others : [left, ...others];
    await updateRecoveries(trx, ref, recoveries);
    return recoveries.length > 0;
  });
