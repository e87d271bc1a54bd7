import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { deleteOldRefusals } from './queries.ts';
import { requestEmbedding } from './service.ts';

/**
 * Has the chunks of an org embedded that were left out a day ago: the provider may have recovered. Returns their number,
 * 0 once no org has any.
 */
export const retryOldRefusals = (db: Db): Promise<number> =>
  inTransaction(db, async (trx) => {
    const orgIds = await deleteOldRefusals(trx);
    for (const orgId of new Set(orgIds)) await requestEmbedding(trx, orgId);
    return orgIds.length;
  });
