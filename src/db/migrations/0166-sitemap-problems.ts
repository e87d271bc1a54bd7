import { type Kysely, sql } from 'kysely';

/** Adds to crawls which sitemaps gave no address, and why. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table crawl_jobs add column sitemap_problems jsonb not null default '[]'`.execute(db);
}
