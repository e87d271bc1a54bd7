import { type RawBuilder, sql } from 'kysely';

/**
 * Returns a query of the items of an org's deleted datasources, as far as their deletion has not come to them yet.
 * Without such a datasource it reads one index page.
 */
export const itemsOfDeletedDatasources = (orgId: string): RawBuilder<unknown> => sql`
  select page.id from datasources as datasource, lateral (
    select id from crawl_pages
    where crawl_pages.org_id = ${orgId} and crawl_pages.datasource_id = datasource.id and crawl_pages.is_stored
    offset 0
  ) as page
  where datasource.org_id = ${orgId} and datasource.deleted_at is not null`;
