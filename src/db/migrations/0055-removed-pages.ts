import { type Kysely, sql } from 'kysely';

/**
 * When a page last left the knowledge. Pages that a crawl has removed are removed ones in later crawls too. Crawls have
 * their reports for 90 days: a page that was removed before is so since its row last changed. All is found before the lock
 * of `crawl_pages`, which nobody reads from then on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create temporary table removed_pages on commit drop as
    select page.org_id, page.id, coalesce(report.removed_at, page.updated_at) as removed_at
    from crawl_pages as page left join (
      select org_id, page_id, max(created_at) as removed_at from crawl_changes where kind = 'removed' group by org_id, page_id
    ) as report on report.org_id = page.org_id and report.page_id = page.id
    where not page.is_stored and page.reason is distinct from 'excluded_by_user'
      and (page.status = 'removed' or report.removed_at is not null)
  `.execute(db);
  await sql`alter table crawl_pages add column removed_at timestamptz(3)`.execute(db);
  await sql`
    update crawl_pages as page set removed_at = gone.removed_at,
      status = case when page.reason in ('not_found', 'soft_not_found') and page.status in ('excluded', 'error') then 'removed'
        else page.status end
    from removed_pages as gone
    where gone.org_id = page.org_id and gone.id = page.id and not page.is_stored
  `.execute(db);
}
