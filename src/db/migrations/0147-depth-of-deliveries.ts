import { type Kysely, sql } from 'kysely';

/** The number of runs of customers' workflows in the chain of causes of a delivery: what is reported of it goes on from there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deliveries
      add column depth integer not null default coalesce(nullif(current_setting('switchboard.depth', true), '')::integer, 0)
  `.execute(db);
}
