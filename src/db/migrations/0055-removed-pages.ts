import { type Kysely, sql } from 'kysely';

/** When a page last left the knowledge. Pages that a crawl has removed are removed ones in later crawls too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table crawl_pages add column removed_at timestamptz(3)`.execute(db);
  await sql`
    update crawl_pages as page set removed_at = gone.removed_at,
      status = case when page.reason in ('not_found', 'soft_not_found') and page.status in ('excluded', 'error') then 'removed'
        else page.status end
    from (
      select org_id, page_id, max(created_at) as removed_at from crawl_changes where kind = 'removed' group by org_id, page_id
    ) as gone
    where gone.org_id = page.org_id and gone.page_id = page.id and not page.is_stored
  `.execute(db);
}
