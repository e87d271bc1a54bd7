import { type Kysely, sql } from 'kysely';

/** Adds to crawls whether they left out pages because of the datasource's page limit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table crawl_jobs add column page_limit_reached boolean not null default false`.execute(db);
}
