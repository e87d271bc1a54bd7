import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { removeItems } from '../../knowledge/index/service.ts';
import type { DatasourceRef, DeletionProgress } from '../contract.ts';
import { deleteDatasource } from '../datasources/shared.queries.ts';
import { deleteChanges, deleteJobs, deletePages, lockPages } from './queries.ts';

/** A page has a few chunks, and at most some thousand. */
const PAGES_PER_TRANSACTION = 100;
const MAX_BATCH_MS = 5_000;

/**
 * Deletes what is left of a deleted datasource, for some seconds: its knowledge with its pages, then its reports, then
 * itself. Repeated, it continues. `isStopped` ends it after a transaction.
 */
export async function deleteNextParts(db: Db, ref: DatasourceRef, isStopped: () => boolean): Promise<DeletionProgress> {
  const endAt = performance.now() + MAX_BATCH_MS;
  let pages = 0;
  while (performance.now() < endAt && !isStopped()) {
    const part = await inTransaction(db, (trx) => deletePart(trx, ref));
    if (part === 'all') return { pages, isDone: true };
    pages += part;
  }
  return { pages, isDone: false };
}

/** Deletes the next rows in a transaction. Returns their number of pages, or `all` if that was everything. */
async function deletePart(trx: Trx, ref: DatasourceRef): Promise<number | 'all'> {
  const pages = await lockPages(trx, ref, PAGES_PER_TRANSACTION);
  if (pages.length > 0) {
    await removeItems(
      trx,
      ref.orgId,
      pages.filter(({ is_stored }) => is_stored).map(({ id }) => id),
    );
    await deletePages(
      trx,
      ref.orgId,
      pages.map(({ id }) => id),
    );
    return pages.length;
  }
  if ((await deleteChanges(trx, ref)) > 0 || (await deleteJobs(trx, ref)) > 0) return 0;
  await deleteDatasource(trx, ref.orgId, ref.datasourceId);
  return 'all';
}
