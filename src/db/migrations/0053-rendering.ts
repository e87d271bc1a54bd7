import { type Kysely, sql } from 'kysely';

/** Pages made by scripts wait in the queue of their crawl until a browser has rendered them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table datasources add column rendering text not null default 'auto' check (rendering in ('never', 'auto'));
    alter table crawl_pages add column is_to_render boolean not null default false
  `.execute(db);
}
