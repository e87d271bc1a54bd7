import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { type Command, enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { CRAWL, type CrawlRef, type DatasourceRef } from '../contract.ts';
import { type DatasourceRow, findDatasource, lockDatasource } from '../datasources/shared.queries.ts';
import { clearQueue } from '../queue/shared.queries.ts';
import { endCrawl } from './ending.service.ts';
import type { ListChanges } from './schema.ts';
import {
  countActiveJobs,
  findActiveJob,
  findJob,
  insertJob,
  type JobRow,
  listChanges,
  listJobs,
  lockActiveJob,
  lockCrawls,
} from './shared.queries.ts';

/** The crawls of an org that may run at once. */
const MAX_ACTIVE_CRAWLS = 20;

/** Locks the datasource until the transaction ends and returns it. */
export async function getLockedDatasource(trx: Trx, orgId: string, id: string): Promise<DatasourceRow> {
  const datasource = await lockDatasource(trx, orgId, id);
  if (datasource === undefined) throw notFound('datasource');
  return datasource;
}

/** Throws notFound if the org has no such datasource. */
export async function assertDatasourceExists(db: Db, orgId: string, id: string): Promise<void> {
  if ((await findDatasource(db, orgId, id)) === undefined) throw notFound('datasource');
}

/** Starts a crawl of the full site. Throws notFound, and conflict if a crawl is running or the datasource is paused. */
export function startCrawl(db: Db, orgId: string, datasourceId: string): Promise<JobRow> {
  return inTransaction(db, async (trx) => {
    const datasource = await getLockedDatasource(trx, orgId, datasourceId);
    const job = await beginCrawl(trx, orgId, datasource, 'full');
    if (job === undefined) throw conflict('A crawl of the datasource is in progress: wait for its end, or cancel it');
    return job;
  });
}

/**
 * Starts a scheduled crawl and returns its id. Does nothing if a crawl is running or the datasource is paused or
 * deleted. Throws while single pages are being fetched or many crawls of the org are running: it can be retried.
 */
export function startScheduledCrawl(db: Db, { orgId, datasourceId }: DatasourceRef): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const datasource = await lockDatasource(trx, orgId, datasourceId);
    if (datasource?.status !== 'active') return null;
    if (!(await hasRoomForCrawl(trx, orgId))) throw new Error('Many crawls are under way');
    const job = await insertCrawl(trx, orgId, datasource, 'full');
    if (job !== undefined) return job.id;
    const active = await findActiveJob(trx, orgId, datasourceId);
    if (active?.kind === 'pages') throw new Error('Single pages are being fetched');
    return null;
  });
}

/**
 * Inserts a crawl and starts its workflow. Returns undefined if a crawl is running. Throws conflict if the datasource
 * is paused, or if many crawls of the org are running.
 */
export async function beginCrawl(
  trx: Trx,
  orgId: string,
  datasource: DatasourceRow,
  kind: 'full' | 'pages',
): Promise<JobRow | undefined> {
  if (datasource.status === 'paused') throw conflict('The datasource is paused: set its status to active first');
  if (!(await hasRoomForCrawl(trx, orgId)))
    throw conflict(`${MAX_ACTIVE_CRAWLS} crawls are in progress: wait for the end of one, or cancel it`);
  return insertCrawl(trx, orgId, datasource, kind);
}

/** Returns whether the org may begin a crawl, and lets no other transaction begin one until this one ends. */
async function hasRoomForCrawl(trx: Trx, orgId: string): Promise<boolean> {
  await lockCrawls(trx, orgId);
  return (await countActiveJobs(trx, orgId)) < MAX_ACTIVE_CRAWLS;
}

async function insertCrawl(
  trx: Trx,
  orgId: string,
  { id: datasourceId, url }: DatasourceRow,
  kind: 'full' | 'pages',
): Promise<JobRow | undefined> {
  const job = await insertJob(trx, orgId, { id: newId(), datasource_id: datasourceId, kind });
  if (job === undefined) return undefined;
  const subject = { subjectId: datasourceId, summary: `Crawl of ${url.slice(0, 150)}` };
  await enqueue(trx, orgId, start(CRAWL, { orgId, datasourceId, jobId: job.id }, subject));
  return job;
}

/** Returns a command to wake the workflow of a crawl after a change. */
export const wakeCrawl = (orgId: string, { id, datasource_id }: JobRow): Command =>
  signalWithStart(CRAWL, { orgId, datasourceId: datasource_id, jobId: id }, WAKE, { subjectId: datasource_id });

/** Cancels a crawl; pages stored so far are kept. Throws notFound, and conflict if the crawl has ended. */
export function cancelCrawl(db: Db, orgId: string, datasourceId: string, jobId: string): Promise<JobRow> {
  return inTransaction(db, async (trx) => {
    await getLockedDatasource(trx, orgId, datasourceId);
    const job = await findJob(trx, orgId, datasourceId, jobId);
    if (job === undefined) throw notFound('crawl');
    const active = await lockActiveJob(trx, orgId, datasourceId);
    if (active?.id !== jobId) throw conflict('The crawl has ended already');
    await clearQueue(trx, orgId, datasourceId);
    await endCrawl(trx, { orgId, datasourceId, jobId }, { status: 'cancelled', error: null });
    await enqueue(trx, orgId, wakeCrawl(orgId, active));
    return getJob(trx, orgId, datasourceId, jobId);
  });
}

export async function getJob(db: Db, orgId: string, datasourceId: string, jobId: string): Promise<JobRow> {
  await assertDatasourceExists(db, orgId, datasourceId);
  const job = await findJob(db, orgId, datasourceId, jobId);
  if (job === undefined) throw notFound('crawl');
  return job;
}

/** Returns a page of a datasource's crawls, oldest first. Throws notFound. */
export async function pageOfJobs(
  db: Db,
  orgId: string,
  datasourceId: string,
  query: { cursor?: string | undefined; limit: number },
) {
  await assertDatasourceExists(db, orgId, datasourceId);
  return pageOf(db, query, (page) => listJobs(db, orgId, datasourceId, page));
}

/** Returns a page of the changes made by a crawl. Throws notFound. */
export async function pageOfChanges(db: Db, { orgId, datasourceId, jobId }: CrawlRef, query: ListChanges) {
  await getJob(db, orgId, datasourceId, jobId);
  return pageOf(db, query, (page) => listChanges(db, orgId, { jobId, kind: query.kind }, page));
}
