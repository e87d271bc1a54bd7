import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { CrawlRef, DatasourceRef } from '../contract.ts';
import type { PageReason } from '../reasons.rules.ts';
import type { LikePage } from './ignored-parameters.rules.ts';
import { TELLING_LENGTH, TELLING_WORDS } from './not-found.rules.ts';

/** More pages than that are not compared at once. */
const MAX_COMPARED = 5_000;
const MAX_SUSPECTS = 2_000;

/** Returns whether one of these pages is the same as another with the same path and another query. */
export async function hasLikeSibling(
  db: Db,
  { orgId, datasourceId }: DatasourceRef,
  pages: { key: string; path: string; similarity: string }[],
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from jsonb_to_recordset(${JSON.stringify(pages)}::jsonb) as given (key text, path text, similarity text)
    where exists (
      select from crawl_pages as page
      where page.org_id = ${orgId} and page.datasource_id = ${datasourceId} and page.path_key = given.path
        and page.similarity = decode(given.similarity, 'hex') and page.url_key <> given.key and page.is_stored
    ) limit 1
  `.execute(db);
  return rows.length > 0;
}

/** Returns the latest stored pages to be compared. */
export async function listLikePages(db: Db, { orgId, datasourceId }: DatasourceRef): Promise<LikePage[]> {
  const { rows } = await sql<LikePage>`
    select url_key as key, encode(similarity, 'hex') as similarity from crawl_pages
    where org_id = ${orgId} and datasource_id = ${datasourceId} and is_stored and similarity is not null and removal is null
    order by id desc limit ${MAX_COMPARED}
  `.execute(db);
  return rows;
}

export interface VariantPage {
  id: string;
  url: string;
  url_key: string;
  is_stored: boolean;
}

/** Locks and returns the pages whose address may have a query parameter, stored ones first. */
export async function lockPagesWithParameter(
  trx: Trx,
  { orgId, datasourceId }: DatasourceRef,
  name: string,
): Promise<VariantPage[]> {
  const { rows } = await sql<VariantPage>`
    select id, url, url_key, is_stored from crawl_pages
    where org_id = ${orgId} and datasource_id = ${datasourceId} and url_key <> path_key
      and strpos(url_key, ${`${new URLSearchParams([[name, '']])}`}) > 0 and choice is null
    order by is_stored desc, id for update
  `.execute(trx);
  return rows;
}

/** Returns which of these keys are known. */
export async function listKnownKeys(trx: Trx, { orgId, datasourceId }: DatasourceRef, keys: string[]) {
  const { rows } = await sql<{ url_key: string }>`
    select url_key from crawl_pages
    where org_id = ${orgId} and datasource_id = ${datasourceId} and url_key = any(${keys}::text[])
  `.execute(trx);
  return new Set(rows.map(({ url_key }) => url_key));
}

/** Gives pages new addresses. */
export async function updateAddresses(
  trx: Trx,
  orgId: string,
  pages: { id: string; url: string; key: string; path: string }[],
): Promise<void> {
  await sql`
    update crawl_pages as page set url = given.url, url_key = given.key, path_key = given.path, updated_at = now()
    from jsonb_to_recordset(${JSON.stringify(pages)}::jsonb) as given (id uuid, url text, key text, path text)
    where page.org_id = ${orgId} and page.id = given.id
  `.execute(trx);
}

/** Deletes pages that were never stored. */
export async function deleteUnstoredPages(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  await sql`
    delete from crawl_pages where org_id = ${orgId} and id = any(${ids}::uuid[]) and not is_stored
  `.execute(trx);
}

/** Reads all pages of a datasource again with the next crawl, and keeps addresses without a query parameter. */
export async function addIgnoredParameter(
  trx: Trx,
  { orgId, datasourceId }: DatasourceRef,
  name: string,
): Promise<void> {
  await sql`
    update datasources set settings_version = settings_version + 1,
      ignored_parameters = array_append(array_remove(ignored_parameters, ${name}), ${name})
    where org_id = ${orgId} and id = ${datasourceId}
  `.execute(trx);
}

/** Takes pages out of the queue and schedules their removal at the end of the crawl. */
export async function scheduleRemoval(trx: Trx, orgId: string, ids: string[], reason: PageReason): Promise<void> {
  await sql`
    update crawl_pages set removal = ${reason}, is_queued = false, lease = null, updated_at = now()
    where org_id = ${orgId} and id = any(${ids}::uuid[])
  `.execute(trx);
}

/** Deletes pages from the report of new pages of a crawl. Returns those that were in it. */
export async function deleteNewChanges(trx: Trx, { orgId, datasourceId, jobId }: CrawlRef, ids: string[]) {
  const { rows } = await sql<{ page_id: string }>`
    with gone as (
      delete from crawl_changes
      where org_id = ${orgId} and job_id = ${jobId} and kind = 'new' and page_id = any(${ids}::uuid[])
      returning page_id
    ), counted as (
      update crawl_jobs set new_pages = new_pages - (select count(*) from gone)
      where org_id = ${orgId} and datasource_id = ${datasourceId} and id = ${jobId}
    )
    select page_id from gone
  `.execute(trx);
  return rows.map(({ page_id }) => page_id);
}

export interface Suspect {
  id: string;
  url: string;
  title: string | null;
}

/** Returns stored pages of a crawl that say they are missing, or that share their title with another one. */
export async function listSuspects(db: Db, { orgId, datasourceId, jobId }: CrawlRef, startKey: string) {
  const { rows } = await sql<Suspect>`
    select id, url, title from (
      select id, url, title, markdown, depth, count(*) over (partition by title) as titles from crawl_pages
      where org_id = ${orgId} and datasource_id = ${datasourceId} and job_id = ${jobId} and is_stored
        and removal is null and choice is null and url_key <> ${startKey}
    ) as page
    where titles > 1 or title || ' ' || left(markdown, ${TELLING_LENGTH}) ~* ${TELLING_WORDS}
    order by depth, id limit ${MAX_SUSPECTS}
  `.execute(db);
  return rows;
}
