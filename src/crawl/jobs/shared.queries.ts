import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { lockName } from '../../db/locks.ts';
import type { CrawlRef } from '../contract.ts';
import type { JobStatus, SitemapProblem } from './table.ts';

const COLUMNS = [
  'id',
  'datasource_id',
  'kind',
  'status',
  'started_at',
  'completed_at',
  'total_pages',
  'completed_pages',
  'new_pages',
  'updated_pages',
  'removed_pages',
  'unchanged_pages',
  'held_pages',
  'dropped_urls',
  'page_limit_reached',
  'sitemap_problems',
  'error_message',
  'created_at',
] as const;

const jobs = (db: Db, orgId: string, datasourceId: string) =>
  db.selectFrom('crawl_jobs').select(COLUMNS).where('org_id', '=', orgId).where('datasource_id', '=', datasourceId);

export const findJob = (db: Db, orgId: string, datasourceId: string, id: string) =>
  jobs(db, orgId, datasourceId).where('id', '=', id).executeTakeFirst();

/** Lists crawls by id. */
export const listJobsById = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('crawl_jobs')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();

export type JobRow = NonNullable<Awaited<ReturnType<typeof findJob>>>;

/** Returns the running crawl, if any. */
export const findActiveJob = (db: Db, orgId: string, datasourceId: string) =>
  jobs(db, orgId, datasourceId).where('status', 'in', ['pending', 'scraping']).executeTakeFirst();

/** Makes concurrent starts of the org's crawls wait, so that they count one another. Lasts until the transaction ends. */
export const lockCrawls = (trx: Trx, orgId: string) => lockName(trx, `crawls ${orgId}`);

/** Returns the number of the org's running crawls. */
export async function countActiveJobs(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('crawl_jobs')
    .select(sql<number>`count(*)`.as('count'))
    .where('org_id', '=', orgId)
    .where(sql<boolean>`status in ('pending', 'scraping')`) // parameters would not match the index in a generic plan
    .executeTakeFirstOrThrow();
  return count;
}

/** Locks the running crawl, if any, until the transaction ends. */
export const lockActiveJob = (trx: Trx, orgId: string, datasourceId: string) =>
  jobs(trx, orgId, datasourceId).where('status', 'in', ['pending', 'scraping']).forUpdate().executeTakeFirst();

/** Locks a crawl until the transaction ends, if it is running. */
export const lockJob = (trx: Trx, orgId: string, datasourceId: string, id: string) =>
  jobs(trx, orgId, datasourceId)
    .where('id', '=', id)
    .where('status', 'in', ['pending', 'scraping'])
    .forUpdate()
    .executeTakeFirst();

export const listJobs = (db: Db, orgId: string, datasourceId: string, page: PageRequest): Promise<JobRow[]> =>
  jobs(db, orgId, datasourceId).$call(orderedByCreation(page)).execute();

/** Returns crawls of any org by their ids, for streams already authorized. */
export const listJobsByIds = (db: Db, refs: { orgId: string; jobId: string }[]) =>
  db
    .selectFrom('crawl_jobs')
    .select([...COLUMNS, 'org_id'])
    .where(
      sql<boolean>`(org_id, id) in (select * from unnest(${refs.map(({ orgId }) => orgId)}::uuid[], ${refs.map(({ jobId }) => jobId)}::uuid[]))`,
    )
    .execute();

/** Inserts a crawl, unless one is running. */
export const insertJob = (
  trx: Trx,
  orgId: string,
  job: { id: string; datasource_id: string; kind: 'full' | 'pages' },
): Promise<JobRow | undefined> =>
  trx
    .insertInto('crawl_jobs')
    .values({ org_id: orgId, ...job })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'datasource_id'])
        .where(sql<boolean>`status in ('pending', 'scraping')`) // parameters would not match the index in a generic plan
        .doNothing(),
    )
    .returning(COLUMNS)
    .executeTakeFirst();

/** Records the start of a crawl, in its datasource too. */
export async function beginJob(trx: Trx, orgId: string, datasourceId: string, id: string): Promise<void> {
  await sql`
    with begun as (
      update crawl_jobs set status = 'scraping', started_at = now() where org_id = ${orgId} and id = ${id} and status = 'pending'
      returning started_at
    )
    update datasources set last_crawl_started_at = begun.started_at from begun
    where org_id = ${orgId} and id = ${datasourceId}
  `.execute(trx);
}

/** Records the sitemaps of a running crawl that gave no address. */
export async function updateSitemapProblems(
  db: Db,
  { orgId, datasourceId, jobId }: CrawlRef,
  problems: SitemapProblem[],
): Promise<void> {
  await db
    .updateTable('crawl_jobs')
    .set({ sitemap_problems: sql`${JSON.stringify(problems)}::jsonb` })
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where('id', '=', jobId)
    .where('status', '=', 'scraping')
    .execute();
}

/** Records the end of a crawl, in its datasource too. */
export async function endJob(
  trx: Trx,
  { orgId, datasourceId, jobId }: CrawlRef,
  end: { status: JobStatus; error: string | null; removed?: number; held?: number },
): Promise<void> {
  const { status, error, removed = 0, held = 0 } = end;
  await sql`
    with ended as (
      update crawl_jobs set status = ${status}, error_message = ${error}, removed_pages = ${removed}, held_pages = ${held},
        total_pages = completed_pages, completed_at = now()
      where org_id = ${orgId} and id = ${jobId}
      returning completed_at
    )
    update datasources set error_message = ${error},
      last_crawl_completed_at = case when ${status} = 'completed' then ended.completed_at else last_crawl_completed_at end
    from ended where org_id = ${orgId} and id = ${datasourceId}
  `.execute(trx);
}

export const listChanges = (
  db: Db,
  orgId: string,
  { jobId, kind }: { jobId: string; kind: 'new' | 'updated' | 'removed' | undefined },
  page: PageRequest,
) =>
  db
    .selectFrom('crawl_changes')
    .select(['id', 'page_id', 'kind', 'url', 'title', 'diff', 'created_at'])
    .where('org_id', '=', orgId)
    .where('job_id', '=', jobId)
    .$call((query) => (kind === undefined ? query : query.where('kind', '=', kind)))
    .$call(orderedByCreation(page))
    .execute();

/** Returns active crawls of all orgs behind a crawl, in a fixed order. */
export async function listActiveCrawls(db: Db, after: CrawlRef | undefined, limit: number): Promise<CrawlRef[]> {
  const { rows } = await sql<CrawlRef>`
    select org_id as "orgId", datasource_id as "datasourceId", id as "jobId" from crawl_jobs
    where status in ('pending', 'scraping')
      and ${after === undefined ? sql`true` : sql`(org_id, datasource_id) > (${after.orgId}::uuid, ${after.datasourceId}::uuid)`}
    order by org_id, datasource_id limit ${limit}
  `.execute(db);
  return rows;
}
