import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { type CreatedWithin, countCreated, inIdOrder, type KeysetPage } from '../../db/keyset.ts';
import type { PageReason } from '../reasons.rules.ts';
import type { PageStatus } from './table.ts';

export interface PageFilter {
  datasourceId: string;
  status?: PageStatus | undefined;
  reason?: PageReason | undefined;
  q?: string | undefined;
}

/**
 * Returns pages of a datasource, except those deleted by a user. A reason has no separate index: a rare one is found among
 * the 5,000 pages of the largest limit in 2 ms, and in 40 ms among 60,000 addresses, beyond which a crawl stores no more.
 */
export const listPages = (db: Db, orgId: string, { datasourceId, status, reason, q }: PageFilter, page: PageRequest) =>
  db
    .selectFrom('crawl_pages')
    .select([
      'id',
      'datasource_id',
      'url',
      'title',
      'status',
      'reason',
      'detail',
      'http_status',
      'language',
      'depth',
      'found_on',
    ])
    .select(['last_crawled_at', 'last_changed_at', 'created_at', 'updated_at'])
    .select(sql<Date | null>`case when status = 'removed' then removed_at end`.as('removed_at'))
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where(sql<boolean>`choice is distinct from 'deleted'`)
    .$call((query) => (status === undefined ? query : query.where('status', '=', status)))
    .$call((query) => (reason === undefined ? query : query.where('reason', '=', reason)))
    .$if(q !== undefined, (query) =>
      query.where(
        sql<boolean>`(strpos(lower(url), lower(${q})) > 0 or strpos(lower(coalesce(title, '')), lower(${q})) > 0)`,
      ),
    )
    .$call(orderedByCreation(page))
    .execute();

/** Locks and returns those of the given pages that belong to the datasource. */
export async function findPages(trx: Trx, orgId: string, datasourceId: string, ids: string[]) {
  return trx
    .selectFrom('crawl_pages')
    .select(['id', 'url', 'title', 'choice', 'is_stored'])
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Records a user's choice for pages. */
export async function updateChoice(
  trx: Trx,
  orgId: string,
  ids: string[],
  choice: 'excluded' | 'included' | 'deleted' | null,
): Promise<void> {
  await trx
    .updateTable('crawl_pages')
    .set({ choice, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
}

/** Removes pages from the queue and from the stored ones. With `keepsItems` their items stay in the search index. */
export async function dequeueAndUnstorePages(
  trx: Trx,
  orgId: string,
  ids: string[],
  keepsItems: boolean,
): Promise<void> {
  await sql`
    update crawl_pages set is_queued = false, lease = null, is_stored = is_stored and ${keepsItems}, removal = null, status = 'excluded',
      reason = 'excluded_by_user', detail = null, markdown = null, etag = null, last_modified = null, raw_hash = null, text_hash = null,
      updated_at = now()
    where org_id = ${orgId} and id = any(${ids}::uuid[])
  `.execute(trx);
}

export interface NewPage {
  id: string;
  url_key: string;
  path_key: string;
  url: string;
}

/** Inserts a page requested by a user, or updates the page with this URL to included. */
export async function insertRequestedPage(
  trx: Trx,
  orgId: string,
  datasourceId: string,
  page: NewPage,
): Promise<string> {
  const { id } = await trx
    .insertInto('crawl_pages')
    .values({ org_id: orgId, datasource_id: datasourceId, depth: 0, choice: 'included', ...page })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'datasource_id', 'url_key'])
        .doUpdateSet({ choice: 'included', updated_at: sql<Date>`now()` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Selects the pages in the knowledge whose website is not deleted. */
const storedPages = (db: Db, orgId: string) =>
  db
    .selectFrom('crawl_pages as page')
    .innerJoin('datasources as datasource', (join) =>
      join.onRef('datasource.org_id', '=', 'page.org_id').onRef('datasource.id', '=', 'page.datasource_id'),
    )
    .where('page.org_id', '=', orgId)
    .where('datasource.deleted_at', 'is', null)
    .where(sql<boolean>`page.is_stored and page.choice is distinct from 'deleted'`);

/** Lists a part of the pages in the knowledge with their contents, in the order of their ids. */
export const listStoredPages = (db: Db, orgId: string, page: KeysetPage) =>
  storedPages(db, orgId)
    .select(['page.id', 'page.datasource_id', 'page.url', 'page.title', 'page.language', 'page.markdown as content'])
    .select(['page.last_crawled_at', 'page.created_at', 'page.updated_at'])
    .$call(inIdOrder(page, 'page'))
    .execute();

export const countStoredPages = (trx: Trx, orgId: string, created: CreatedWithin): Promise<number> =>
  countCreated(trx, storedPages(trx, orgId), { of: 'page', created });
