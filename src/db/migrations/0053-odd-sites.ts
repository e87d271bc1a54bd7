import { type Kysely, sql } from 'kysely';

/**
 * Pages made by scripts wait in the queue of their crawl until a browser has rendered them. Pages are compared by the
 * hash of their text without the queries of its links, which tells the parameters that change nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table datasources
      add column rendering text not null default 'auto' check (rendering in ('never', 'auto')),
      add column ignored_parameters text[] not null default '{}';
    alter table crawl_pages
      add column is_to_render boolean not null default false,
      add column likeness bytea
  `.execute(db);
}
