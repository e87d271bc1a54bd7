import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import type { CrawlRef } from '../contract.ts';

/** Complete crawls in a row without a link to a page before its removal. */
const MAX_UNSEEN_CRAWLS = 2;
/** Full crawls without a link to an address that is not stored before it is forgotten. */
const REMEMBERED_CRAWLS = 5;
/** Addresses forgotten by one crawl. */
const MAX_FORGOTTEN = 10_000;
/** A page behind more redirects is not fetched. */
const MAX_LOOP_LENGTH = 6;

/** Whether a crawl was complete: no page failed temporarily, and none was left out because of the limit. */
export async function isCompleteCrawl(trx: Trx, { orgId, datasourceId, jobId }: CrawlRef): Promise<boolean> {
  const { rows } = await sql<{ is_cut: boolean }>`
    select exists (
      select from crawl_pages
      where org_id = ${orgId} and datasource_id = ${datasourceId} and job_id = ${jobId}
        and reason in ('server_error', 'busy', 'timeout', 'unreachable', 'robots_unreachable', 'page_limit')
    ) as is_cut
  `.execute(trx);
  return rows[0]?.is_cut === false;
}

/** Counts complete crawls without a link to a page. Schedules pages for removal once the count reaches its limit. */
export async function countUnseen(trx: Trx, { orgId, datasourceId, jobId }: CrawlRef): Promise<void> {
  await sql`
    update crawl_pages set
      unseen_count = case when found_in = ${jobId} or choice = 'included' then 0 else unseen_count + 1 end,
      removal = case when found_in is distinct from ${jobId}::uuid and choice is null and removal is null
        and unseen_count + 1 >= ${MAX_UNSEEN_CRAWLS} then 'unseen' else removal end
    where org_id = ${orgId} and datasource_id = ${datasourceId} and is_stored and choice is distinct from 'deleted'
  `.execute(trx);
}

/**
 * Deletes addresses that are not stored and that none of the last full crawls has found, so that they do not take the
 * places of new ones. Those chosen by a user stay.
 */
export async function deleteForgotten(trx: Trx, { orgId, datasourceId }: CrawlRef): Promise<void> {
  await sql`
    with latest as (
      select id from crawl_jobs where org_id = ${orgId} and datasource_id = ${datasourceId} and kind = 'full'
      order by created_at desc, id desc limit ${REMEMBERED_CRAWLS}
    )
    delete from crawl_pages where org_id = ${orgId} and id in (
      select page.id from crawl_pages as page
      where page.org_id = ${orgId} and page.datasource_id = ${datasourceId} and page.choice is null and not page.is_stored
        and not page.is_queued and (page.found_in is null or page.found_in not in (select id from latest))
        and (select count(*) from latest) = ${REMEMBERED_CRAWLS}::integer
      limit ${MAX_FORGOTTEN}
    )
  `.execute(trx);
}

/** Gives pages that redirect to one another in a circle the reason `redirect_loop`: they lead to no page. */
export async function markRedirectLoops(trx: Trx, { orgId, datasourceId, jobId }: CrawlRef): Promise<void> {
  await sql`
    with recursive moved as materialized (
      select id, url_key, leads_to from crawl_pages
      where org_id = ${orgId} and datasource_id = ${datasourceId} and job_id = ${jobId} and reason = 'redirect' and leads_to is not null
    ), chain as (
      select id, url_key as start, leads_to, 1 as hops from moved
      union all
      select chain.id, chain.start, moved.leads_to, chain.hops + 1
      from chain join moved on moved.url_key = chain.leads_to
      where chain.hops < ${MAX_LOOP_LENGTH} and chain.leads_to <> chain.start
    )
    update crawl_pages set reason = 'redirect_loop', removal = case removal when 'redirect' then 'redirect_loop' else removal end
    where org_id = ${orgId} and id in (select id from chain where leads_to = start)
  `.execute(trx);
}

const storedPages = (trx: Trx, orgId: string, datasourceId: string) =>
  trx
    .selectFrom('crawl_pages')
    .select(['id', 'url', 'title', 'removal'])
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where(sql<boolean>`is_stored`);

/** Returns the pages scheduled for removal. `has_target`: the target of its redirect or canonical link is stored. */
export const listRemovals = (trx: Trx, orgId: string, datasourceId: string) =>
  storedPages(trx, orgId, datasourceId)
    .select('leads_to')
    .select(
      sql<boolean>`exists (
        select from crawl_pages as target
        where target.org_id = crawl_pages.org_id and target.datasource_id = crawl_pages.datasource_id
          and target.url_key = crawl_pages.leads_to and target.is_stored and target.removal is null
      )`.as('has_target'),
    )
    .where('removal', 'is not', null)
    .orderBy('id')
    .execute();

export type Removal = Awaited<ReturnType<typeof listDeferredRemovals>>[number];

/**
 * Removes pages from the stored ones and deletes their texts. `areRemoved`: an earlier crawl has stored them. A page that
 * was stored in this crawl alone was not removed, unless it had been before.
 */
export async function unstorePages(
  trx: Trx,
  orgId: string,
  ids: string[],
  { areRemoved }: { areRemoved: boolean },
): Promise<void> {
  await sql`
    update crawl_pages set is_stored = false, removal = null, reason = coalesce(removal, reason), unseen_count = 0, markdown = null,
      etag = null, last_modified = null, raw_hash = null, updated_at = now(),
      text_hash = case when removal = 'soft_not_found' then text_hash end,
      detail = case when reason is distinct from 'removal_held' then detail end,
      status = case when removal in ('not_found', 'soft_not_found', 'unseen') and (${areRemoved} or removed_at is not null)
        then 'removed' else 'excluded' end,
      removed_at = case when ${areRemoved} then now() else removed_at end
    where org_id = ${orgId} and id = any(${ids}::uuid[])
  `.execute(trx);
}

/** Defers the removal of pages until a user has reviewed them. */
export async function deferRemovals(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  await sql`
    update crawl_pages set reason = 'removal_held', detail = removal, updated_at = now()
    where org_id = ${orgId} and id = any(${ids}::uuid[])
  `.execute(trx);
}

export const listDeferredRemovals = (trx: Trx, orgId: string, datasourceId: string) =>
  storedPages(trx, orgId, datasourceId).where('reason', '=', 'removal_held').execute();

/** Takes deferred removals back, with all that counted towards them. */
export async function keepPages(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  await sql`
    update crawl_pages set removal = null, reason = null, detail = null, unseen_count = 0, gone_count = 0,
      updated_at = now()
    where org_id = ${orgId} and id = any(${ids}::uuid[])
  `.execute(trx);
}

/**
 * Records that nothing is held any more: in the crawl by which it was decided, and in later ones, which had held the same.
 * Earlier ones keep the number that they held.
 */
export async function clearHeld(
  trx: Trx,
  { orgId, datasourceId, jobId }: CrawlRef,
  { removed }: { removed: number },
): Promise<void> {
  await sql`
    update crawl_jobs as job set held_pages = 0,
      removed_pages = job.removed_pages + case when job.id = decided.id then ${removed}::integer else 0 end
    from crawl_jobs as decided
    where decided.org_id = ${orgId} and decided.id = ${jobId} and job.org_id = ${orgId}
      and job.datasource_id = ${datasourceId} and (job.created_at, job.id) >= (decided.created_at, decided.id)
  `.execute(trx);
}

/**
 * Clears what completed crawls say of pages that were held, in their datasource too: they say nothing else. All held pages
 * are decided at once, whichever crawls have held them. What a failed crawl says stays.
 */
export async function clearHeldMessages(trx: Trx, orgId: string, datasourceId: string): Promise<void> {
  await sql`
    with decided as (
      select id, error_message from crawl_jobs
      where org_id = ${orgId} and datasource_id = ${datasourceId} and status = 'completed' and error_message is not null
    ), cleared as (
      update crawl_jobs set error_message = null from decided where org_id = ${orgId} and crawl_jobs.id = decided.id
    )
    update datasources set error_message = null
    where org_id = ${orgId} and id = ${datasourceId} and error_message in (select error_message from decided)
  `.execute(trx);
}

export async function countStoredPages(trx: Trx, orgId: string, datasourceId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('crawl_pages')
    .select(sql<number>`count(*)`.as('count'))
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where(sql<boolean>`is_stored`)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the result of a page by its key, used for the start page of a crawl. */
export const findPageByKey = (trx: Trx, orgId: string, datasourceId: string, key: string) =>
  trx
    .selectFrom('crawl_pages')
    .select(['id', 'reason', 'detail', 'http_status'] as const)
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where('url_key', '=', key)
    .executeTakeFirst();
