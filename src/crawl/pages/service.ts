import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { type CreatedWithin, pagesById } from '../../db/keyset.ts';
import { inTransaction } from '../../db/transaction.ts';
import { refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { removeItems } from '../../knowledge/index/service.ts';
import { enqueue } from '../../outbox/outbox.ts';
import type { DatasourceRow } from '../datasources/shared.queries.ts';
import { assertDatasourceExists, beginCrawl, getLockedDatasource, wakeCrawl } from '../jobs/service.ts';
import { type JobRow, lockActiveJob } from '../jobs/shared.queries.ts';
import { queuePages } from '../queue/seeding.shared.queries.ts';
import { type Site, siteOf } from '../scope/rules.ts';
import { keysOf, MAX_URL_LENGTH, pageUrlOf } from '../scope/urls.rules.ts';
import {
  dequeueAndUnstorePages,
  findPages,
  insertRequestedPage,
  listPages,
  listStoredPages,
  updateChoice,
} from './queries.ts';
import type { DeletePages, ListPages } from './schema.ts';

export { countStoredPages } from './queries.ts';

/** A page of a website may have megabytes of text. */
const PAGES_AT_ONCE = 20;

/** Returns a page of a datasource's URLs with their results. Throws notFound. */
export async function pageOfPages(db: Db, orgId: string, datasourceId: string, query: ListPages) {
  await assertDatasourceExists(db, orgId, datasourceId);
  return pageOf(db, query, (page) => listPages(db, orgId, { ...query, datasourceId }, page));
}

/** Excludes pages from the knowledge, in all later crawls too. Returns their number. Throws notFound. */
export function excludePages(db: Db, orgId: string, datasourceId: string, pageIds: string[]): Promise<number> {
  return inTransaction(db, async (trx) => {
    await lockDatasourceAndCrawl(trx, orgId, datasourceId);
    const pages = (await findPages(trx, orgId, datasourceId, pageIds)).filter(({ choice }) => choice !== 'deleted');
    const ids = pages.map(({ id }) => id);
    await removeItems(trx, orgId, ids);
    await updateChoice(trx, orgId, ids, 'excluded');
    await dequeueAndUnstorePages(trx, orgId, ids, false);
    return ids.length;
  });
}

/**
 * Fetches pages into the knowledge, regardless of the datasource's path rules. Returns their number. Throws notFound,
 * and conflict if the datasource is paused.
 */
export function includePages(db: Db, orgId: string, datasourceId: string, pageIds: string[]): Promise<number> {
  return inTransaction(db, async (trx) => {
    const { datasource, active } = await lockDatasourceAndCrawl(trx, orgId, datasourceId);
    const site = siteOf(datasource);
    const pages = (await findPages(trx, orgId, datasourceId, pageIds)).filter(
      ({ url, choice }) => choice !== 'deleted' && isFetchable(site, url),
    );
    const ids = pages.map(({ id }) => id);
    await updateChoice(trx, orgId, ids, 'included');
    return requeuePages(trx, orgId, { datasource, active }, ids);
  });
}

/**
 * Fetches pages again. Excluded and deleted pages are skipped. Returns the number of pages. Throws notFound, and
 * conflict if the datasource is paused.
 */
export function resyncPages(db: Db, orgId: string, datasourceId: string, pageIds: string[]): Promise<number> {
  return inTransaction(db, async (trx) => {
    const { datasource, active } = await lockDatasourceAndCrawl(trx, orgId, datasourceId);
    const site = siteOf(datasource);
    const pages = (await findPages(trx, orgId, datasourceId, pageIds)).filter(
      ({ url, choice }) => choice !== 'deleted' && choice !== 'excluded' && isFetchable(site, url),
    );
    return requeuePages(
      trx,
      orgId,
      { datasource, active },
      pages.map(({ id }) => id),
    );
  });
}

/** Deletes pages permanently: no later crawl adds them again. Returns their number. Throws notFound. */
export function deletePages(
  db: Db,
  orgId: string,
  datasourceId: string,
  { page_ids, delete_kb_items }: DeletePages,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    await lockDatasourceAndCrawl(trx, orgId, datasourceId);
    const pages = await findPages(trx, orgId, datasourceId, page_ids);
    const ids = pages
      .filter(({ choice, is_stored }) => choice !== 'deleted' || (delete_kb_items && is_stored))
      .map(({ id }) => id);
    if (delete_kb_items) await removeItems(trx, orgId, ids);
    await updateChoice(trx, orgId, ids, 'deleted');
    await dequeueAndUnstorePages(trx, orgId, ids, !delete_kb_items);
    return ids.length;
  });
}

/**
 * Fetches one page of the site into the knowledge, known or not, regardless of the datasource's path rules. Throws
 * notFound, conflict and invalid.
 */
export function syncUrl(db: Db, orgId: string, datasourceId: string, text: string): Promise<number> {
  return inTransaction(db, async (trx) => {
    const { datasource, active } = await lockDatasourceAndCrawl(trx, orgId, datasourceId);
    const url = pageUrlOf(text);
    const site = siteOf(datasource);
    if (!site.isOnSite(url)) throw refused('url', `must be a page of ${site.host}, which is the datasource's site`);
    const { key, path } = keysOf(url);
    if (url.href.length > MAX_URL_LENGTH)
      throw refused('url', `must have at most ${MAX_URL_LENGTH} characters once it is escaped`);
    const id = await insertRequestedPage(trx, orgId, datasourceId, {
      id: newId(),
      url_key: key,
      path_key: path,
      url: url.href,
    });
    return requeuePages(trx, orgId, { datasource, active }, [id]);
  });
}

interface LockedDatasource {
  datasource: DatasourceRow;
  /** The running crawl. */
  active: JobRow | undefined;
}

async function lockDatasourceAndCrawl(trx: Trx, orgId: string, datasourceId: string): Promise<LockedDatasource> {
  const datasource = await getLockedDatasource(trx, orgId, datasourceId);
  return { datasource, active: await lockActiveJob(trx, orgId, datasourceId) };
}

/** Only the beginning is kept of an address that is too long. */
const isFetchable = (site: Site, url: string): boolean => url.length <= MAX_URL_LENGTH && site.isOnSite(pageUrlOf(url));

/** Queues pages in the running crawl, or in a new one for them. */
async function requeuePages(
  trx: Trx,
  orgId: string,
  { datasource, active }: LockedDatasource,
  ids: string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const job = active ?? (await beginCrawl(trx, orgId, datasource, 'pages'));
  if (job === undefined) throw new Error('The datasource has another crawl, despite its lock');
  if (active !== undefined) await enqueue(trx, orgId, wakeCrawl(orgId, active));
  return queuePages(trx, orgId, job.id, { ids, isForced: true });
}

/** Reads all pages in the knowledge that were first found within given times, with their texts, some at a time. */
export const readStoredPages = (trx: Trx, orgId: string, created: CreatedWithin) =>
  pagesById(PAGES_AT_ONCE, (page) => listStoredPages(trx, orgId, { ...page, ...created }));
