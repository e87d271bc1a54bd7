import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import type { DatasourceRef } from '../contract.ts';

const COLUMNS = [
  'id',
  'url',
  'display_name',
  'status',
  'page_limit',
  'exclude_paths',
  'include_paths',
  'crawl_interval_hours',
  'rendering',
  'ignored_parameters',
  'includes_www',
  'settings_version',
  'last_crawl_started_at',
  'last_crawl_completed_at',
  'error_message',
  'created_at',
  'updated_at',
] as const;

const datasourcesOf = (db: Db, orgId: string) =>
  db.selectFrom('datasources').select(COLUMNS).where('org_id', '=', orgId).where('deleted_at', 'is', null);

export const findDatasource = (db: Db, orgId: string, id: string) =>
  datasourcesOf(db, orgId).where('id', '=', id).executeTakeFirst();

export type DatasourceRow = NonNullable<Awaited<ReturnType<typeof findDatasource>>>;

/** Locks the datasource until the transaction ends. Lock order: the datasource, its crawl, its pages. */
export const lockDatasource = (trx: Trx, orgId: string, id: string) =>
  datasourcesOf(trx, orgId).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const listDatasources = (db: Db, orgId: string, page: PageRequest): Promise<DatasourceRow[]> =>
  datasourcesOf(db, orgId).$call(orderedByCreation(page)).execute();

export interface NewDatasource {
  id: string;
  url: string;
  display_name: string;
  page_limit: number | null;
  exclude_paths: string[];
  include_paths: string[];
  crawl_interval_hours: number | null;
  rendering: 'never' | 'auto';
}

export const insertDatasource = (trx: Trx, orgId: string, datasource: NewDatasource): Promise<DatasourceRow> =>
  trx
    .insertInto('datasources')
    .values({ org_id: orgId, ...datasource })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();

type Changes = Partial<Omit<NewDatasource, 'id' | 'url'>> & { status?: 'active' | 'paused' };

/** `areRules`: the change affects the choice of stored pages. */
export const updateDatasource = (
  trx: Trx,
  orgId: string,
  id: string,
  { areRules, ...changes }: Changes & { areRules: boolean },
): Promise<DatasourceRow> =>
  trx
    .updateTable('datasources')
    .set({
      ...changes,
      updated_at: sql<Date>`now()`,
      settings_version: sql<number>`settings_version + ${areRules ? 1 : 0}`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();

export async function updateIncludesWww(db: Db, orgId: string, id: string): Promise<void> {
  await db
    .updateTable('datasources')
    .set({ includes_www: true })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Hides a datasource until it is deleted with all that belongs to it. */
export async function hideDatasource(trx: Trx, orgId: string, id: string): Promise<void> {
  await trx
    .updateTable('datasources')
    .set({ deleted_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Deletes a hidden datasource. */
export async function deleteDatasource(trx: Trx, orgId: string, id: string): Promise<void> {
  await trx
    .deleteFrom('datasources')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .execute();
}

/** Counts the pages of a datasource by status. */
export async function countPages(db: Db, orgId: string, id: string) {
  const of = (status: string) => sql<number>`count(*) filter (where status = ${status})`;
  return db
    .selectFrom('crawl_pages')
    .select([
      sql<number>`count(*) filter (where status <> 'removed')`.as('total'),
      of('synced').as('synced'),
      of('pending').as('pending'),
      of('error').as('error'),
      of('excluded').as('excluded'),
    ])
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', id)
    .where(sql<boolean>`choice is distinct from 'deleted'`)
    .executeTakeFirstOrThrow();
}

/** Returns datasources of all orgs that are crawled at intervals. */
export const listScheduledDatasources = (db: Db, after: DatasourceRef | undefined, limit: number) =>
  datasourcesAfter(db, after, limit)
    .where('status', '=', 'active')
    .where('crawl_interval_hours', 'is not', null)
    .where('deleted_at', 'is', null)
    .execute();

/** Returns deleted datasources of all orgs whose deletion has not ended. */
export const listDeletedDatasources = (db: Db, after: DatasourceRef | undefined, limit: number) =>
  datasourcesAfter(db, after, limit).where('deleted_at', 'is not', null).execute();

const datasourcesAfter = (db: Db, after: DatasourceRef | undefined, limit: number) =>
  db
    .selectFrom('datasources')
    .select(['org_id as orgId', 'id as datasourceId'])
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(org_id, id) > (${after?.orgId}::uuid, ${after?.datasourceId}::uuid)`),
    )
    .orderBy('org_id')
    .orderBy('id')
    .limit(limit);
