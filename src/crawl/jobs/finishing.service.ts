import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { removeItems } from '../../knowledge/index/service.ts';
import type { CrawlRef, CrawlResult } from '../contract.ts';
import { type DatasourceRow, lockDatasource } from '../datasources/shared.queries.ts';
import { findQueueStatus } from '../queue/shared.queries.ts';
import { SUSPICIOUS } from '../reasons.rules.ts';
import { siteOf } from '../scope/rules.ts';
import { insertChanges } from '../visiting/shared.queries.ts';
import { endCrawl } from './ending.service.ts';
import {
  clearHeld,
  clearHeldMessages,
  countStoredPages,
  countUnseen,
  deferRemovals,
  deleteForgotten,
  findPageByKey,
  isCompleteCrawl,
  keepPages,
  listDeferredRemovals,
  listRemovals,
  markRedirectLoops,
  type Removal,
  unstorePages,
} from './finishing.shared.queries.ts';
import { findActiveJob, findJob, type JobRow, lockJob } from './shared.queries.ts';

/** Removals of a larger share of the pages wait for a user's review. */
const MAX_UNREVIEWED_SHARE = 0.3;

/**
 * Finishes a crawl: removes missing pages, unless there are too many at once, and records the result. Returns
 * `requeued` if pages were queued in the meantime.
 */
export function finishCrawl(db: Db, ref: CrawlRef): Promise<CrawlResult | 'requeued'> {
  const { orgId, datasourceId, jobId } = ref;
  return inTransaction(db, async (trx) => {
    const datasource = await lockDatasource(trx, orgId, datasourceId);
    const job = await lockJob(trx, orgId, datasourceId, jobId);
    if (datasource === undefined || job === undefined) return { status: 'ended', pages: 0, changed: 0, removed: 0 };
    if ((await findQueueStatus(trx, orgId, datasourceId)).count > 0) return 'requeued';
    await markRedirectLoops(trx, ref);
    const stored = job.new_pages + job.updated_pages + job.unchanged_pages;
    const isFailed = stored === 0 && job.kind === 'full';
    const isCut = isFailed || job.dropped_urls > 0;
    if (job.kind === 'full' && !isCut && (await isCompleteCrawl(trx, ref))) await countUnseen(trx, ref);

    if (job.kind === 'full' && !isFailed) await deleteForgotten(trx, ref);

    const { removed, held, total } = await settleRemovals(trx, ref, isFailed);
    const error = isFailed
      ? await reasonOfFailure(trx, orgId, datasource)
      : held > 0
        ? deferredMessage(held, total)
        : null;
    await endCrawl(trx, ref, { status: isFailed ? 'failed' : 'completed', error, removed, held });
    return { status: isFailed ? 'failed' : 'completed', pages: stored, changed: changedBy(job), removed };
  });
}

const changedBy = (job: JobRow) => job.new_pages + job.updated_pages;

const deferredMessage = (held: number, total: number) =>
  `${held} of ${total} pages seem to be gone. They are kept until somebody removes them; the next crawl checks them again`;

async function settleRemovals(trx: Trx, { orgId, datasourceId, jobId }: CrawlRef, isFailed: boolean) {
  const total = await countStoredPages(trx, orgId, datasourceId);
  const removals = await listRemovals(trx, orgId, datasourceId);
  const suspicious = suspiciousOf(removals);
  const isTooMuch = isFailed || suspicious.length > MAX_UNREVIEWED_SHARE * total;
  const held = isTooMuch ? suspicious : [];
  const staying = new Set<Removal>(held);
  const going = removals.filter((page) => !staying.has(page));
  await removePages(trx, orgId, jobId, going);
  if (held.length > 0)
    await deferRemovals(
      trx,
      orgId,
      held.map(({ id }) => id),
    );
  return { removed: going.length, held: held.length, total };
}

/**
 * Returns removals that may be a mistake of the site, for example if all pages suddenly redirect to one. A page that
 * really moved has a separate target.
 */
function suspiciousOf(removals: Awaited<ReturnType<typeof listRemovals>>): Removal[] {
  const targets = new Set<string>();
  return removals.filter(({ removal, leads_to, has_target }) => {
    if (removal !== 'redirect' && removal !== 'canonical') return removal !== null && SUSPICIOUS.includes(removal);
    const isAlone = leads_to !== null && has_target && !targets.has(leads_to);
    if (leads_to !== null) targets.add(leads_to);
    return !isAlone;
  });
}

async function removePages(trx: Trx, orgId: string, jobId: string, pages: Removal[]): Promise<void> {
  if (pages.length === 0) return;
  const ids = pages.map(({ id }) => id);
  await removeItems(trx, orgId, ids);
  await unstorePages(trx, orgId, ids, { areRemoved: true });
  const changes = pages.map(({ id, url, title }) => ({
    id: newId(),
    page_id: id,
    kind: 'removed' as const,
    url,
    title,
    diff: null,
  }));
  await insertChanges(trx, orgId, jobId, changes);
}

async function reasonOfFailure(trx: Trx, orgId: string, datasource: DatasourceRow): Promise<string> {
  const start = await findPageByKey(trx, orgId, datasource.id, siteOf(datasource).startKey);
  const details = [start?.reason ?? 'no page was found', start?.http_status, start?.detail].filter(
    (part) => part != null,
  );
  return `No page could be stored. ${datasource.url}: ${details.join(', ')}`.slice(0, 1_000);
}

/**
 * Removes the pages deferred by a crawl. Returns their number. Throws notFound, and conflict while a crawl is running or
 * if another crawl has deferred more: who looked at this one has not seen them.
 */
export function releaseRemovals(db: Db, orgId: string, datasourceId: string, jobId: string): Promise<number> {
  return inTransaction(db, async (trx) => {
    const held = await lockDeferredRemovals(trx, orgId, datasourceId, jobId);
    await removePages(trx, orgId, jobId, held);
    await clearHeld(trx, { orgId, datasourceId, jobId }, { removed: held.length });
    await clearHeldMessages(trx, orgId, datasourceId);
    return held.length;
  });
}

/**
 * Keeps the pages deferred by a crawl. A later crawl has to find them gone as often as any other page before it removes
 * them. Returns their number. Throws as `releaseRemovals` does.
 */
export function refuseRemovals(db: Db, orgId: string, datasourceId: string, jobId: string): Promise<number> {
  return inTransaction(db, async (trx) => {
    const held = await lockDeferredRemovals(trx, orgId, datasourceId, jobId);
    const ids = held.map(({ id }) => id);
    await keepPages(trx, orgId, ids);
    await clearHeld(trx, { orgId, datasourceId, jobId }, { removed: 0 });
    await clearHeldMessages(trx, orgId, datasourceId);
    return ids.length;
  });
}

async function lockDeferredRemovals(trx: Trx, orgId: string, datasourceId: string, jobId: string): Promise<Removal[]> {
  if ((await lockDatasource(trx, orgId, datasourceId)) === undefined) throw notFound('datasource');
  const job = await findJob(trx, orgId, datasourceId, jobId);
  if (job === undefined) throw notFound('crawl');
  if ((await findActiveJob(trx, orgId, datasourceId)) !== undefined)
    throw conflict('A crawl of the datasource is in progress');
  const held = await listDeferredRemovals(trx, orgId, datasourceId);
  if (held.length > job.held_pages)
    throw conflict(
      `${held.length} pages are held back, and this crawl has held back ${job.held_pages}: decide by the crawl that shows all`,
    );
  return held;
}
