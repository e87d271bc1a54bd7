import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { deleteInstalledModels, insertInstalledModel } from './installed-models.queries.ts';
import { deleteOldRefusals } from './queries.ts';
import { listOrgsWithout } from './searched-models.queries.ts';
import { hasConnectedModel, requestEmbedding } from './service.ts';

const ORGS_PER_BATCH = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

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

/**
 * Records that this installation has the model, and has the knowledge embedded of all orgs that are searched without it
 * and have connected no other.
 */
export async function useInstalledModel(db: Db, model: string): Promise<void> {
  await insertInstalledModel(db, model);
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const orgIds: string[] = await listOrgsWithout(db, model, { after, limit: ORGS_PER_BATCH });
    await inTransaction(db, async (trx) => {
      for (const orgId of orgIds) if (!(await hasConnectedModel(trx, orgId))) await requestEmbedding(trx, orgId);
    });
    after = orgIds.at(-1);
  }
}

/** Records that this installation does without a model. Its vectors are not compared any more. */
export const useNoModel = deleteInstalledModels;
