import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import { sendAhead } from '../../db/connections/pipeline.ts';
import type { CrawlRef, DatasourceRef } from '../contract.ts';
import type { PageStatus } from '../pages/table.ts';
import type { PageReason } from '../reasons.rules.ts';

/** The new state of a page's row after a visit. */
export interface VisitedPage {
  id: string;
  url: string;
  status: PageStatus;
  reason: PageReason | null;
  detail: string | null;
  leads_to: string | null;
  title: string | null;
  /** Due time of the visit. It distinguishes the page's visits. */
  due_at: Date;
  /** Time until the next attempt. Null: this visit was the last of the crawl. */
  again_in_ms: number | null;
  tries: number;
  is_to_render: boolean;
  is_forced: boolean;
  is_stored: boolean;
  removal: PageReason | null;
  gone_count: number;
  http_status: number | null;
  etag: string | null;
  last_modified: string | null;
  fetched_with: string | null;
  /** As hex. */
  raw_hash: string | null;
  text_hash: string | null;
  similarity: string | null;
  language: string | null;
  links: string[];
  /** Undefined: unchanged. */
  markdown?: string | undefined;
}

/**
 * Updates visited pages that are still leased by the batch and were not queued again in the meantime. Returns their
 * ids. Looks each page up by its key (`offset 0`): while Postgres has no statistics, it may read all pages of the org, or
 * the whole queue, to join them.
 */
export async function updateVisited(
  trx: Trx,
  { orgId, datasourceId }: DatasourceRef,
  batch: number,
  pages: VisitedPage[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    update crawl_pages as page set
      url = given.url,
      status = case when page.removed_at is not null and not given.is_stored and given.again_in_ms is null
        and given.reason in ('not_found', 'soft_not_found') then 'removed' else given.status end,
      reason = given.reason, detail = given.detail, leads_to = given.leads_to, title = given.title,
      is_queued = given.again_in_ms is not null, lease = null,
      due_at = now() + coalesce(given.again_in_ms, 0) * interval '1 millisecond',
      tries = given.tries, is_to_render = given.is_to_render, is_forced = given.is_forced, is_stored = given.is_stored, removal = given.removal,
      gone_count = given.gone_count, http_status = given.http_status, etag = given.etag, last_modified = given.last_modified,
      fetched_with = given.fetched_with, raw_hash = decode(given.raw_hash, 'hex'), text_hash = decode(given.text_hash, 'hex'),
      similarity = decode(given.similarity, 'hex'),
      last_changed_at = case when given.markdown is null then page.last_changed_at else now() end,
      markdown = coalesce(given.markdown, page.markdown), language = given.language, links = given.links,
      last_crawled_at = now(), updated_at = now()
    from (
      select ${orgId}::uuid as org_id, ${datasourceId}::uuid as datasource_id, true as is_queued, given.*
      from jsonb_to_recordset(${JSON.stringify(pages)}::jsonb) as given (
        id uuid, due_at timestamptz(3), url text, status text, reason text, detail text, leads_to text, title text, again_in_ms double precision, tries integer,
        is_to_render boolean, is_forced boolean, is_stored boolean, removal text, gone_count integer, http_status integer, etag text, last_modified text,
        fetched_with text, raw_hash text, text_hash text, similarity text, language text, links text[], markdown text
      )
      offset 0
    ) as given
    where page.org_id = given.org_id and page.id = given.id and page.datasource_id = given.datasource_id
      and page.is_queued = given.is_queued and page.lease = ${batch} and page.due_at = given.due_at
    returning page.id
  `.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

/** Returns the current results of pages by their keys. */
export async function listPagesByKeys(trx: Trx, orgId: string, datasourceId: string, keys: string[]) {
  if (keys.length === 0) return [];
  return trx
    .selectFrom('crawl_pages')
    .select(['url_key', 'is_stored', 'is_queued', 'job_id', 'choice', 'reason', 'leads_to'])
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where('url_key', '=', sql<string>`any(${keys})`)
    .execute();
}

/** Returns the stored texts of pages. */
export async function listTexts(trx: Trx, orgId: string, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await trx
    .selectFrom('crawl_pages')
    .select(['id', 'markdown'])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  return new Map(rows.map(({ id, markdown }) => [id, markdown ?? '']));
}

export interface NewChange {
  id: string;
  page_id: string;
  kind: 'new' | 'updated' | 'removed';
  url: string;
  title: string | null;
  diff: string | null;
}

/** Adds changes to the report of a crawl. */
export async function insertChanges(trx: Trx, orgId: string, jobId: string, changes: NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sendAhead(
    trx,
    sql`
    insert into crawl_changes (org_id, id, job_id, page_id, kind, url, title, diff)
    select ${orgId}::uuid, id, ${jobId}::uuid, page_id, kind, url, title, diff
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      as given (id uuid, page_id uuid, kind text, url text, title text, diff text)
    on conflict do nothing
  `,
  );
}

interface Counts {
  completed: number;
  new: number;
  updated: number;
  unchanged: number;
  dropped: number;
  /** Pages left out because of the datasource's page limit. */
  overLimit: number;
}

/**
 * Adds to the counts of a crawl. Its total is the number of completed and queued pages, which are read in the order of
 * their index, as by countNewLeased.
 */
export async function incrementCounts(
  trx: Trx,
  { orgId, datasourceId, jobId }: CrawlRef,
  counts: Partial<Counts>,
): Promise<void> {
  const { completed = 0, new: added = 0, updated = 0, unchanged = 0, dropped = 0, overLimit = 0 } = counts;
  await sendAhead(
    trx,
    sql`
    update crawl_jobs set completed_pages = completed_pages + ${completed}, new_pages = new_pages + ${added},
      updated_pages = updated_pages + ${updated}, unchanged_pages = unchanged_pages + ${unchanged},
      dropped_urls = dropped_urls + ${dropped}, page_limit_reached = page_limit_reached or ${overLimit > 0},
      total_pages = completed_pages + ${completed} + (
        select count(*) from (
          select from crawl_pages where org_id = ${orgId} and datasource_id = ${datasourceId} and is_queued
          order by is_stored, depth, id offset 0
        ) as queued
      )
    where org_id = ${orgId} and id = ${jobId}
  `,
  );
}
