import { type Kysely, sql } from 'kysely';

/**
 * A datasource belongs to one org. Without knowing it, Postgres multiplies the shares of both, expects a few pages where
 * there are thousands, and reads all of them to find some.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create statistics crawl_pages_of_datasource (dependencies) on org_id, datasource_id from crawl_pages`.execute(
    db,
  );
}
