import { type Kysely, sql } from 'kysely';

/** Finds rows by age, for their deletion. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index delivery_callbacks_by_age on delivery_callbacks (received_at);
    create index sandbox_outbox_by_age on sandbox_outbox (created_at);
    create index crawl_hosts_by_age on crawl_hosts (next_at);
    create index crawl_robots_by_age on crawl_robots (fetched_at);
    create index crawl_jobs_by_age on crawl_jobs (completed_at) where completed_at is not null;
    create index widget_visitors_unverified on widget_visitors (created_at) where not is_verified
  `.execute(db);
}
