import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { type Command, enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { type DatasourceRef, DELETE_DATASOURCE, SYNC_CRAWL_SCHEDULE } from '../contract.ts';
import { beginCrawl, getLockedDatasource, wakeCrawl } from '../jobs/service.ts';
import { endJob, findActiveJob, lockActiveJob } from '../jobs/shared.queries.ts';
import { siteOf } from '../scope/rules.ts';
import type { CreateWebsiteDatasource, UpdateWebsiteDatasource } from './schema.ts';
import {
  countPages,
  type DatasourceRow,
  findDatasource,
  hideDatasource,
  insertDatasource,
  listDatasources,
  updateDatasource,
} from './shared.queries.ts';

const MS_PER_HOUR = 60 * 60_000;

/** Returns a datasource in the form of API answers. */
export function datasourceResponse(row: DatasourceRow) {
  const { host, path } = siteOf(row);
  return { ...row, scope: { host, path } };
}

/** Adds a website, and starts a crawl of it if requested. */
export function createDatasource(db: Db, orgId: string, input: CreateWebsiteDatasource): Promise<DatasourceRow> {
  const { auto_start_crawl, display_name, ...fields } = input;
  return inTransaction(db, async (trx) => {
    const name = display_name ?? new URL(fields.url).host.slice(0, 255);
    const row = await insertDatasource(trx, orgId, { id: newId(), display_name: name, ...fields });
    await syncSchedule(trx, orgId, row.id);
    if (auto_start_crawl) await beginCrawl(trx, orgId, row, 'full');
    return row;
  });
}

/** Returns a datasource with its page counts. */
export async function getDatasourceDetails(db: Db, orgId: string, id: string) {
  const row = await findDatasource(db, orgId, id);
  if (row === undefined) throw notFound('datasource');
  const [page_stats, active] = await Promise.all([countPages(db, orgId, id), findActiveJob(db, orgId, id)]);
  return { ...datasourceResponse(row), page_stats, active_crawl_job: active ?? null };
}

/** Returns a page of the org's datasources, oldest first. */
export const pageOfDatasources = (db: Db, orgId: string, query: { cursor?: string | undefined; limit: number }) =>
  pageOf(db, query, (page) => listDatasources(db, orgId, page));

/** Changes the given fields. The next crawl applies them to the stored pages. Throws notFound. */
export function changeDatasource(
  db: Db,
  orgId: string,
  id: string,
  changes: UpdateWebsiteDatasource,
): Promise<DatasourceRow> {
  return inTransaction(db, async (trx) => {
    const before = await getLockedDatasource(trx, orgId, id);
    const areRules = changes.include_paths !== undefined || changes.exclude_paths !== undefined;
    const row = await updateDatasource(trx, orgId, id, { ...changes, areRules });
    await syncSchedule(trx, orgId, id);
    const active = row.status === before.status ? undefined : await lockActiveJob(trx, orgId, id);
    if (active !== undefined) await enqueue(trx, orgId, wakeCrawl(orgId, active));
    return row;
  });
}

/** Deletes a datasource from lists and searches at once, and all that belongs to it afterwards. Throws notFound. */
export function removeDatasource(db: Db, orgId: string, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const { url } = await getLockedDatasource(trx, orgId, id);
    const active = await lockActiveJob(trx, orgId, id);
    const ref = { orgId, datasourceId: id };
    await hideDatasource(trx, orgId, id);
    await syncSchedule(trx, orgId, id);
    const summary = `Deletion of ${url.slice(0, 150)}`;
    await enqueue(trx, orgId, start(DELETE_DATASOURCE, ref, { subjectId: id, summary }));
    if (active === undefined) return;
    await endJob(trx, { ...ref, jobId: active.id }, { status: 'cancelled', error: null });
    await enqueue(trx, orgId, wakeCrawl(orgId, active));
  });
}

/** Returns the command to sync the Schedule of a datasource with its settings. */
export const syncCrawlSchedule = (ref: DatasourceRef): Command =>
  signalWithStart(SYNC_CRAWL_SCHEDULE, ref, WAKE, {
    subjectId: ref.datasourceId,
    summary: 'Sync the crawl schedule of a datasource',
  });

const syncSchedule = (trx: Trx, orgId: string, datasourceId: string) =>
  enqueue(trx, orgId, syncCrawlSchedule({ orgId, datasourceId }));

/**
 * Returns the crawl interval of a datasource, counted from its creation. Returns undefined if its crawls are started
 * manually, or if it is paused or deleted.
 */
export async function crawlScheduleOf(db: Db, { orgId, datasourceId }: DatasourceRef) {
  const row = await findDatasource(db, orgId, datasourceId);
  if (row?.status !== 'active' || row.crawl_interval_hours === null) return undefined;
  const everyMs = row.crawl_interval_hours * MS_PER_HOUR;
  return { name: row.display_name, everyMs, offsetMs: row.created_at.getTime() % everyMs };
}
