import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import type { CrawlRef } from '../contract.ts';
import type { PageReason } from '../reasons.rules.ts';
import { MAX_QUERIES_PER_PATH } from '../scope/urls.rules.ts';
import { removedAt } from './shared.queries.ts';

/** A URL found in a page or a sitemap, or given by a user. */
export interface DiscoveredUrl {
  key: string;
  path: string;
  url: string;
  depth: number;
  found_on: string | null;
  redirects: number;
  refusal: PageReason | null;
}

/** The number of URLs a datasource can still store. */
export interface QueueCapacity {
  queued: number;
  refused: number;
}

/**
 * Queues URLs in a crawl, each once, and records the reasons for rejected ones. URLs already seen by the crawl stay
 * unchanged. Returns the numbers of inserted URLs, and of those dropped for lack of capacity that were to be queued.
 */
export async function insertDiscovered(
  trx: Trx,
  { orgId, datasourceId, jobId }: CrawlRef,
  links: DiscoveredUrl[],
  room: QueueCapacity,
): Promise<{ inserted: QueueCapacity; dropped: number }> {
  if (links.length === 0) return { inserted: { queued: 0, refused: 0 }, dropped: 0 };
  const counted = await sql<{ refused: number; queued: number; dropped: number }>`
    with given as materialized (
      select row_number() over () as nth, given.*
      from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as given
        (key text, path text, url text, depth integer, found_on text, redirects integer, refusal text)
    ), ranked as materialized (
      select found.*, row_number() over (partition by is_variant, path order by nth) as variant from (
        select given.*, page.id is not null as is_known, coalesce(page.job_id = ${jobId}, false) as is_seen,
          page.id is null or page.reason is not distinct from 'too_many_queries' and not page.is_stored as is_variant
        from given left join crawl_pages as page
          on page.org_id = ${orgId} and page.datasource_id = ${datasourceId} and page.url_key = given.key
      ) as found
    ), refused as materialized (
      select nth, key, path, url, depth, found_on, redirects, is_known, is_seen,
        case when refusal is null and is_variant and key <> path and variant + (
          select count(*) from (
            select from crawl_pages as other
            where other.org_id = ${orgId} and other.datasource_id = ${datasourceId} and other.path_key = path
              and (other.is_stored or other.reason is distinct from 'too_many_queries')
            limit ${MAX_QUERIES_PER_PATH}
          ) as others
        ) > ${MAX_QUERIES_PER_PATH} then 'too_many_queries' else refusal end as refusal
      from ranked
    ), judged as materialized (
      select * from (
        select refused.*, row_number() over (partition by is_known, refusal is null order by nth) as place from refused
      ) as placed
      where is_known or place <= case when refusal is null then ${room.queued}::integer else ${room.refused}::integer end
    ), put as (
      insert into crawl_pages as page (org_id, id, datasource_id, url_key, path_key, url, depth, found_on, redirects, status, reason,
        is_queued, job_id, found_in)
      select ${orgId}::uuid, uuidv7(interval '1 microsecond' * nth), ${datasourceId}::uuid, key, path, url, depth, found_on, redirects,
        case when refusal is null then 'pending' else 'excluded' end, refusal, refusal is null, ${jobId}::uuid, ${jobId}::uuid
      from judged where not is_seen order by key
      on conflict (org_id, datasource_id, url_key) do update set
        found_in = excluded.found_in, job_id = excluded.job_id, depth = excluded.depth, found_on = excluded.found_on,
        redirects = excluded.redirects, tries = 0, due_at = now(), lease = null, removed_at = ${removedAt('page')},
        is_queued = page.is_queued or excluded.reason is null or page.choice is not distinct from 'included',
        status = case when page.is_stored then page.status
          when excluded.reason is null or page.choice is not distinct from 'included' then 'pending' else 'excluded' end,
        reason = case when page.is_stored then page.reason
          when excluded.reason is null or page.choice is not distinct from 'included' then null else excluded.reason end,
        detail = case when page.is_stored then page.detail end
      where page.job_id is distinct from excluded.job_id and page.choice is distinct from 'deleted'
        and page.choice is distinct from 'excluded'
    ), seen as (
      update crawl_pages as page set found_in = ${jobId}
      from judged
      where judged.is_seen and page.org_id = ${orgId} and page.datasource_id = ${datasourceId} and page.url_key = judged.key
        and page.found_in is distinct from ${jobId}::uuid
    )
    select count(*) filter (where not is_known and refusal is not null) as refused,
      count(*) filter (where not is_known and refusal is null) as queued,
      (select count(*) from refused where not is_known and refusal is null)
        - count(*) filter (where not is_known and refusal is null) as dropped
    from judged
  `.execute(trx);
  const { refused, queued, dropped } = onlyRow(counted);
  return { inserted: { refused, queued }, dropped };
}

/**
 * Sets pages to included, unless a user has chosen otherwise. Queues those already rejected by the crawl because of
 * path rules.
 */
export async function includeDiscovered(
  trx: Trx,
  { orgId, datasourceId, jobId }: CrawlRef,
  keys: string[],
): Promise<void> {
  await sql`
    update crawl_pages set choice = 'included'
    where org_id = ${orgId} and datasource_id = ${datasourceId} and url_key = any(${keys}) and choice is null
  `.execute(trx);
  await sql`
    update crawl_pages set is_queued = true, status = 'pending', reason = null, tries = 0, due_at = now(), lease = null
    where org_id = ${orgId} and datasource_id = ${datasourceId} and url_key = any(${keys}) and choice = 'included'
      and job_id = ${jobId} and not is_queued and not is_stored and status = 'excluded'
      and reason in ('outside_path', 'excluded_path', 'not_included')
  `.execute(trx);
}

/** Counts the stored URLs of a datasource. */
export async function findQueueCapacity(db: Db, orgId: string, datasourceId: string): Promise<QueueCapacity> {
  const { queued, refused } = await db
    .selectFrom('crawl_pages')
    .select([
      sql<number>`count(*) filter (where status <> 'excluded')`.as('queued'),
      sql<number>`count(*) filter (where status = 'excluded')`.as('refused'),
    ])
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .executeTakeFirstOrThrow();
  return { queued, refused };
}
