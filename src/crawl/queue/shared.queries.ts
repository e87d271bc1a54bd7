import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { CrawlRef } from '../contract.ts';

const LEASED_COLUMNS = [
  'id',
  'url_key',
  'url',
  'choice',
  'depth',
  'redirects',
  'tries',
  'due_at',
  'is_forced',
  'is_stored',
  'removal',
  'gone_count',
  'http_status',
  'title',
  'status',
  'etag',
  'last_modified',
  'fetched_with',
  'raw_hash',
  'text_hash',
  'similarity',
  'language',
  'links',
] as const;

/** A batch that takes pages from the queue: those that wait for a browser, or the others. */
export interface Lease {
  batch: number;
  isRendering: boolean;
}

const queuedPages = (db: Db, orgId: string, datasourceId: string) =>
  db
    .selectFrom('crawl_pages')
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where(sql<boolean>`is_queued`); // a parameter would not match the index in a generic plan

/** Returns the pages leased by a batch: those left by an earlier attempt, if any. */
export const listLeased = (trx: Trx, { orgId, datasourceId }: CrawlRef, { batch, isRendering }: Lease) =>
  queuedPages(trx, orgId, datasourceId)
    .select(LEASED_COLUMNS)
    .where('lease', '=', batch)
    .where('is_to_render', '=', isRendering)
    .orderBy('depth')
    .orderBy('id')
    .execute();

export type LeasedPage = Awaited<ReturnType<typeof listLeased>>[number];

/**
 * Counts the pages leased by a batch that are not stored yet. Reads the queue in its order, because Postgres may choose an
 * index of all pages while it has no statistics.
 */
export async function countNewLeased(trx: Trx, { orgId, datasourceId }: CrawlRef, batch: number): Promise<number> {
  const leased = queuedPages(trx, orgId, datasourceId)
    .select('id')
    .where('lease', '=', batch)
    .where('is_stored', '=', false)
    .orderBy('depth')
    .orderBy('id')
    .offset(0);
  const { count } = await trx
    .selectFrom(leased.as('leased'))
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Leases the next due pages to a batch: stored pages first, then others up to `room`. Pages already leased by the batch
 * are skipped. Each page is looked up by its key (`offset 0`), not among all pages of the org.
 */
export async function leasePages(
  trx: Trx,
  { orgId, datasourceId }: CrawlRef,
  { batch, isRendering }: Lease,
  { limit, room }: { limit: number; room: number },
): Promise<LeasedPage[]> {
  const next = async (isStored: boolean, many: number) =>
    many <= 0
      ? []
      : queuedPages(trx, orgId, datasourceId)
          .select(LEASED_COLUMNS)
          .where('is_stored', '=', isStored)
          .where('due_at', '<=', sql<Date>`now()`)
          .where('lease', 'is distinct from', batch)
          .where('is_to_render', '=', isRendering)
          .orderBy('depth')
          .orderBy('id')
          .limit(many)
          .forUpdate()
          .skipLocked()
          .execute();
  const stored = await next(true, limit);
  const others = await next(false, Math.min(limit - stored.length, room));
  const pages = [...stored, ...others];
  if (pages.length === 0) return [];
  await sql`
    update crawl_pages as page set lease = ${batch}
    from (select ${orgId}::uuid as org_id, id from unnest(${pages.map(({ id }) => id)}::uuid[]) as leased (id) offset 0) as leased
    where page.org_id = leased.org_id and page.id = leased.id
  `.execute(trx);
  return pages;
}

/** Returns the number of queued pages, of those that wait for a browser, and the time until the first one is due. */
export async function findQueueStatus(db: Db, orgId: string, datasourceId: string) {
  const { count, to_render, due_in_ms } = await queuedPages(db, orgId, datasourceId)
    .select([
      sql<number>`count(*)`.as('count'),
      sql<number>`count(*) filter (where is_to_render)`.as('to_render'),
      sql<number | null>`(extract(epoch from min(due_at) - now()) * 1000)::float8`.as('due_in_ms'),
    ])
    .executeTakeFirstOrThrow();
  return { count, toRender: to_render, dueInMs: due_in_ms };
}

/** Counts the pages in the index, without those scheduled for removal. */
export async function countStored(db: Db, orgId: string, datasourceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('crawl_pages')
    .select(sql<number>`count(*)`.as('count'))
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where(sql<boolean>`is_stored`) // as in queuedPages
    .where('removal', 'is', null)
    .where(sql<boolean>`choice is distinct from 'deleted'`)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * SQL: when a page was removed, said as it is queued again, which ends its status. The version before `removed_at` leaves
 * nothing but that status, also while an upgrade is under way.
 */
export const removedAt = (page: 'crawl_pages' | 'page') => {
  const column = (name: string) => sql.ref(`${page}.${name}`);
  return sql`coalesce(${column('removed_at')}, case when ${column('status')} = 'removed' then ${column('updated_at')} end)`;
};

/** Removes pages that are not stored from the queue, because the page limit is reached. Returns their number. */
export async function refuseRemaining(trx: Trx, { orgId, datasourceId }: CrawlRef): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('crawl_pages')
    .set({ is_queued: false, status: 'excluded', reason: 'page_limit', updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where(sql<boolean>`is_queued`)
    .where('is_stored', '=', false)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Empties the queue of a crawl that was cancelled. Pages of it that are not in the index get that as the reason. */
export async function clearQueue(trx: Trx, orgId: string, datasourceId: string): Promise<void> {
  await trx
    .updateTable('crawl_pages')
    .set({
      is_queued: false,
      lease: null,
      is_to_render: false,
      status: sql`case when is_stored then status else 'excluded' end`,
      reason: sql`case when is_stored then reason else 'crawl_cancelled' end`,
      updated_at: sql<Date>`now()`,
    })
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where(sql<boolean>`is_queued`)
    .execute();
}

/** Requeues duplicates of pages that turned out to be missing. Returns their number. */
export async function requeueOrphans(trx: Trx, { orgId, datasourceId, jobId }: CrawlRef): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update crawl_pages as page set is_queued = true, tries = 0, due_at = now(), lease = null, is_forced = true
    where page.org_id = ${orgId} and page.datasource_id = ${datasourceId} and page.job_id = ${jobId} and page.reason = 'canonical'
      and page.choice is distinct from 'excluded' and page.choice is distinct from 'deleted'
      and exists (
        select from crawl_pages as target
        where target.org_id = page.org_id and target.datasource_id = page.datasource_id and target.url_key = page.leads_to
          and target.job_id = ${jobId} and not target.is_stored and target.choice is null
          and coalesce(target.reason, '') not in ('canonical', 'redirect')
      )
  `.execute(trx);
  return Number(numAffectedRows);
}
